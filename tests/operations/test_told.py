"""Which elements a sentence of the explanation speaks of."""

from __future__ import annotations

from recording import Recording
from support import AT, KINDS, together

from sim.codec import Message
from sim.elements import sentences
from sim.operations import explain, generate, respond, reverse, story
from sim.operations.explanation import Explanation
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS


def made(network: str, version: str) -> list[Explanation]:
    """What is said of a purchase, of its answer and of its reversal."""
    message = generate("auth", network=network, version=version, at=AT).message
    return [explain(one.raw) for one in (respond(message), reverse(message, at=AT))] + [explain(message)]


@together("version", VERSIONS)
@together("network", NETWORKS)
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


def test_sentences_follow_from_what_their_tellers_say() -> None:
    """A sentence that is remembered by codes looks at no other value; each of those codes is looked at."""
    seen: set[int | str] = set()
    for one in asked_about():
        for teller in story.tellers(one, None):
            if teller.coded:
                fields = Recording(one.fields)
                teller.say(Message(one.mti, fields, one.version), None)
                seen |= fields.read
    assert seen == set(story.CODES)


def asked_about() -> list[Message]:
    """Messages of every kind, and such with another code in each place."""
    made = [
        generate(kind, network=network, version=version, entry="chip", at=AT).message
        for network in NETWORKS
        for version in VERSIONS
        for kind in KINDS
    ]
    odd = [
        Message(one.mti, {**one.fields, **dict.fromkeys((3, 22, 25), "9" * 12)}, one.version) for one in made
    ]
    return [*made, *odd]


def test_a_sentence_told_before_is_told_of_the_same_codes_alone() -> None:
    """Another processing code, entry mode or network gets its own sentences, after all others were told."""
    first = generate("auth", network="VISA", at=AT).message
    others = [
        first.replace(**{f"de{number}": value}) for number, value in ((3, "013000"), (22, "901"), (25, "08"))
    ]
    for one in (first, *others, Message("0110", first.fields)):
        warm = explain(one).sentences
        sentences.SAID.clear()
        assert explain(one).sentences == warm
    assert len({explain(one).summary for one in (first, *others)}) == len(others) + 1


def test_what_a_model_wrote_is_linked_to_nothing() -> None:
    """Its sentences are its own."""
    message = generate("auth", network="VISA", at=AT).message
    written = Explanation(message, "VISA", ("This is fine.",), "llm:test/model")
    assert written.told == (("This is fine.", ()),)
