"""Which elements a sentence of the explanation speaks of."""

from __future__ import annotations

import pytest
from support import AT

from sim.operations import explain, generate, respond, reverse
from sim.operations.explanation import Explanation
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS


def made(network: str, version: str) -> list[Explanation]:
    """What is said of a purchase, of its answer and of its reversal."""
    message = generate("auth", network=network, version=version, at=AT).message
    return [explain(one.raw) for one in (respond(message), reverse(message, at=AT))] + [explain(message)]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("network", NETWORKS)
def test_the_sentences_are_those_of_the_summary(network: str, version: str) -> None:
    """The same, in the same order; each speaks of something, and of nothing that is not there."""
    for one in made(network, version):
        assert tuple(said for said, _ in one.told) == one.sentences
        for _, elements in one.told:
            assert elements
            assert set(elements) <= {0, *one.message.fields}


def test_what_a_sentence_speaks_of() -> None:
    """The card is DE 2 and DE 14, the amount DE 4 and DE 49, the first sentence the MTI."""
    told = explain(generate("auth", network="VISA", at=AT).message).told
    found = {said.partition(" ")[2][:9]: elements for said, elements in told}
    assert found["is an aut"] == (0,)
    assert found["card is a"] == (2, 14)
    assert found["acquirer "] == (3, 4, 49)


def test_what_a_model_wrote_is_linked_to_nothing() -> None:
    """Its sentences are its own."""
    message = generate("auth", network="VISA", at=AT).message
    written = Explanation(message, "VISA", ("This is fine.",), "llm:test/model")
    assert written.told == (("This is fine.", ()),)
