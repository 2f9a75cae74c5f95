"""What ISO 8583 says: element tables, code lists, networks, currencies. Sole reader of `data/`."""

from sim.spec.codes import Code as Code
from sim.spec.codes import Country as Country
from sim.spec.codes import Currency as Currency
from sim.spec.codes import code_list as code_list
from sim.spec.codes import code_lists as code_lists
from sim.spec.codes import countries as countries
from sim.spec.codes import country as country
from sim.spec.codes import currencies as currencies
from sim.spec.codes import currency as currency
from sim.spec.codes import lookup as lookup
from sim.spec.codes import lookup_anywhere as lookup_anywhere
from sim.spec.codes import merchant_category as merchant_category
from sim.spec.codes import region as region
from sim.spec.codes import withdrawn_currencies as withdrawn_currencies
from sim.spec.codes import zone_of as zone_of
from sim.spec.elements import VERSIONS as VERSIONS
from sim.spec.elements import ElementSpec as ElementSpec
from sim.spec.elements import Role as Role
from sim.spec.elements import Spec as Spec
from sim.spec.elements import is_particular as is_particular
from sim.spec.elements import number_of as number_of
from sim.spec.elements import particular as particular
from sim.spec.elements import reshaped as reshaped
from sim.spec.elements import role as role
from sim.spec.elements import spec as spec
from sim.spec.elements import version_of as version_of
