"""The messages that empty panels offer."""

from __future__ import annotations

from support import AT, together

from sim.operations import parse_any, validate
from sim.operations.samples import Sample, samples


@together("sample", samples(), label=lambda one: one.name)
def test_a_sample_is_what_its_name_says(sample: Sample) -> None:
    """Each can be made; it is valid unless its name says otherwise, and what is spelled can be read."""
    text = sample.text(AT)
    assert text == sample.text(AT)
    read = parse_any(text).text if sample.spelled else text
    assert validate(read).valid == (not sample.fault)
    assert sample.name.startswith(("Broken", "Invalid")) == bool(sample.fault)


def test_names_are_unique() -> None:
    """They are chosen by their names, and enough of them are made by options alone."""
    names = [one.name for one in samples()]
    assert len(set(names)) == len(names)
    assert sum(one.plain for one in samples()) >= 5
