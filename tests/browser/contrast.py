"""How far texts and signs stand out from their ground, as WCAG 2 counts it, with everything that is
see-through laid over what is beneath it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from browser.rest import at_rest

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT, SIGN = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11

_MEASURE = """() => {
    const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const known = new Map();
    // The browser itself makes red, green, blue and alpha of whatever a style says: color-mix(), names ...
    const read = text => {
        if (!known.has(text)) {
            pen.clearRect(0, 0, 1, 1); pen.fillStyle = text; pen.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
            known.set(text, [r, g, b, a / 255]);
        }
        return known.get(text); };
    const over = (top, under) => under.map((part, at) => top[at] * top[3] + part * (1 - top[3]));
    const above = node => { const all = [];
        for (let up = node; up; up = up.parentElement) all.push(up);
        return all; };
    const ground = node => above(node).map(one => read(getComputedStyle(one).backgroundColor))
        .reduceRight((under, layer) => over(layer, under), [255, 255, 255]);
    const light = rgb => { const part = rgb.map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]; };
    const ratio = (one, other) => { const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05); };
    const seen = node => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const of = (node, colour, under) => { const [r, g, b, a] = read(colour);
        const solid = above(node).reduce((all, one) => all * getComputedStyle(one).opacity, a);
        return ratio(over([r, g, b, solid], under), under); };
    const least = {};
    const note = (name, value) => {
        least[name] = Math.min(least[name] ?? 99, Math.round(100 * value) / 100); };
    return { of, ground, seen, note, least }; }"""
_TEXTS = f"""inside => {{
    const {{ of, ground, seen, note, least }} = ({_MEASURE})();
    // What cannot be used need not stand out; a list's own choices are drawn by the browser.
    const left = ':disabled, [aria-disabled="true"], option, svg, style';
    for (const box of document.querySelectorAll(inside)) {{
        const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
        for (let text = walker.nextNode(); text; text = walker.nextNode()) {{
            const node = text.parentElement;
            if (!text.data.trim() || node.closest(left) || !seen(node)) continue;
            const within = node.parentElement.getAttribute('class');
            const name = node.getAttribute('class') || `${{within}} > ${{node.localName}}`;
            note(name.replace(/ ?ia-h[0-9]/, ''), of(node, getComputedStyle(node).color, ground(node)));
        }}
    }}
    return least; }}"""
_SIGNS = f"""([inside, what]) => {{
    const {{ of, ground, seen, note, least }} = ({_MEASURE})();
    for (const [name, style] of what) for (const node of document.querySelectorAll(`${{inside}} ${{name}}`))
        if (seen(node)) note(name, of(node, getComputedStyle(node)[style], ground(node.parentElement)));
    return least; }}"""


def texts(page: Page, inside: str) -> dict[str, float]:
    """The least contrast of the texts of each class that can be seen in elements *inside*."""
    found: dict[str, float] = page.evaluate(_TEXTS, inside)
    return found


def low(page: Page, inside: str) -> dict[str, float]:
    """Those that do not stand out, once the page has come to rest; where there is no text, that is told."""

    def look() -> dict[str, float]:
        found = texts(page, inside) or {"no text": 0.0}
        return {name: value for name, value in found.items() if value < TEXT}

    return at_rest(look, lambda found: not found)


def signs(page: Page, inside: str, what: dict[str, str]) -> dict[str, float]:
    """The least contrast of the signs: *what* names a style by selector, such as `borderTopColor`."""
    found: dict[str, float] = page.evaluate(_SIGNS, [inside, list(what.items())])
    return found
