"""Sphinx: how the site is made. `tests/tools/site/build.py` calls it, with pages that it writes itself."""

project = "ISO 8583 Lab"
author = "ISO 8583 Lab"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = []
html_theme = "furo"
html_title = "ISO 8583 Lab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_dark_style = "github-dark"

# Notebooks: the stored outputs, nothing is run.
nb_execution_mode = "off"
nb_merge_streams = True
# HTML before anything that needs a kernel; without this order a panel would be an empty place.
nb_mime_priority_overrides = [
    ("html", "text/html", 0),
    ("html", "image/svg+xml", 10),
    ("html", "image/png", 20),
    ("html", "text/markdown", 30),
    ("html", "text/plain", 40),
    ("html", "application/vnd.jupyter.widget-view+json", None),
]
# Otherwise every page that might hold a widget names a script at a host elsewhere.
nb_ipywidgets_js = {}
myst_enable_extensions = ["colon_fence", "deflist", "html_image", "tasklist"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
add_module_names = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
