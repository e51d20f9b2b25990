"""The commands that move data: `export`, `audit`, `import`, `copy`, `backup` and `restore`."""
