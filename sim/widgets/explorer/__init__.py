"""`LogExplorer`: a million messages in a grid that draws only the visible rows."""
