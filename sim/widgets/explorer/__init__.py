"""`LogExplorer`: a million messages in a grid that draws only what is seen."""
