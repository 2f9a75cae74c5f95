"""The functions of `import sim`: signatures and contracts. What they do is below, imported when called."""
