"""Does rattler-build read and render the recipe? `check.py RECIPE`. Nothing is looked up, nothing built.

A built package would need conda's own channels; the format, the expressions and the keys need none.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rattler_build import Stage0Recipe, VariantConfig


def main(path: str) -> int:
    """Render; say what would be built. A recipe that cannot be read ends in its error."""
    recipe = Stage0Recipe.from_yaml(Path(path).read_text(encoding="utf-8"))
    outputs = recipe.render(VariantConfig())
    for output in outputs:
        package = output.recipe.package
        print(f"{path}: {package.name} {package.version} can be rendered.")
    return 0 if outputs else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
