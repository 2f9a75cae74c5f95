"""Tests cover each promise of SECURITY.md; they are listed here."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from support import together

TESTS = Path(__file__).parent
TEXT = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
# The first words of a promise, and the tests by which it stands: file, then functions.
HELD = {
    "The service stores no messages, and sends none anywhere except, without card data, to a language "
    "model": {
        "offline/test_refusing.py": ["test_importing_opens_no_socket", "test_no_way_leaves_this_machine"],
        "test_memory.py": ["test_caches_without_a_bound_do_not_grow"],
    },
    "The PAN, track data, PIN blocks, verification codes and chip data are masked": {
        "test_planted.py": [
            "test_no_element_shows_a_card",
            "test_no_damage_shows_a_card",
            "test_unread_text_shows_no_card",
            "test_no_table_widget_or_plot_shows_a_card",
        ],
        "llm/test_planted.py": [],
        "server/test_process.py": ["test_logs_hold_no_card_data"],
    },
    "a web page that calls the service from your browser": {
        "server/test_hosts.py": ["test_a_foreign_name_is_misdirected", "test_names_of_this_machine"],
        "server/test_http.py": ["test_any_origin_may_call_a_public_demo"],
    },
    "a page that frames the documentation": {
        "server/test_limits.py": ["test_pages_may_not_be_framed"],
        "server/test_openapi.py": ["test_docs_page_may_run_its_own_script_only"],
    },
    "request smuggling": {
        "server/test_framing.py": ["test_what_http_forbids_is_refused"],
        "server/test_streams.py": ["test_pieces_change_nothing", "test_no_request_is_smuggled_in_pieces"],
    },
    "slow or silent clients": {
        "server/test_limits.py": [
            "test_a_trickle_does_not_buy_time",
            "test_what_stays_half_done_is_closed",
            "test_connections_beyond_the_cap_are_told_so",
            "test_idle_connections_make_room",
        ],
        "soak/test_soak.py": ["test_the_service_answers_as_documented"],
    },
    "large requests, larger responses": {
        "server/test_http.py": ["test_too_large_a_body", "test_too_large_a_body_in_chunks"],
        "server/test_limits.py": ["test_no_answer_is_larger_than_its_request"],
    },
    "a worker that dies": {
        "server/test_workers.py": [
            "test_workers_that_die_young_are_replaced",
            "test_pauses_grow_where_successors_die_young",
        ],
    },
    "a message whose format takes long to identify": {
        "server/test_guessing.py": ["test_a_guess_that_takes_too_long_is_ended"],
    },
    "input crafted to be slow, a file without line endings": {
        "test_patterns.py": ["test_no_pattern_takes_more_than_its_length"],
        "tables/test_columns_text.py": ["test_a_line_without_an_end_takes_no_memory"],
    },
    "a client that sends many requests at once": {
        "server/test_limits.py": [
            "test_who_sends_ahead_waits_in_turn",
        ]
    },
    "many requests from one client": {
        "server/test_proxies.py": [
            "test_a_client_has_a_rate",
            "test_a_client_has_so_many_requests_at_a_time",
        ],
    },
    "the cost of a language model": {
        "server/test_hosts.py": ["test_a_language_model_is_not_reached_under_a_foreign_name"],
        "server/test_llm.py": [],
    },
}


@cache
def _functions(file: str) -> frozenset[str]:
    """The tests of *file*."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


@together("promise", HELD)
def test_a_promise_is_held_by_tests(promise: str) -> None:
    """The promise is in SECURITY.md, and its tests exist."""
    assert promise in " ".join(TEXT.split())
    for file, names in HELD[promise].items():
        tests = {name for name in _functions(file) if name.startswith("test_")}
        assert tests
        assert set(names) <= tests


def test_no_promise_is_without_tests() -> None:
    """Every row of SECURITY.md's table of attacks has tests."""
    rows = re.findall(r"^\| (?!Threat)([^|]+?) \|", TEXT, re.MULTILINE)
    assert len(rows) >= 8
    assert [row for row in rows if row not in HELD] == []
