"""The commands that move data: `export`, `import`, `copy`, `backup` and `restore`."""
