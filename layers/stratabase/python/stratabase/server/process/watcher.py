"""Watching of files for changes: the code and the model."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

STEP = 50
"""The milliseconds without a further change after which changes are reported together."""
MAX_DEBOUNCE = 400
"""The milliseconds after which changes are reported even if they continue."""

OnChange = Callable[[set[Path]], None]


class Watcher:
    """Calls `on_change`, in its own threads, with the files that were written, created or deleted."""

    def __init__(self, trees: Iterable[Path], files: Iterable[Path], on_change: OnChange) -> None:
        self._stop = threading.Event()
        self._on_change = on_change
        self._trees = [tree.resolve() for tree in trees if tree.is_dir()]
        self._files = {file.parent.resolve() / file.name for file in files}
        self._threads = [threading.Thread(target=watch, daemon=True) for watch in self._watches()]

    def start(self) -> None:
        """Start to watch."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _watches(self) -> Iterable[Callable[[], None]]:
        if self._trees:
            yield self._watch_trees
        if any(file.parent.is_dir() for file in self._files):
            yield self._watch_files

    def _watch_trees(self) -> None:
        from watchfiles import Change, DefaultFilter  # noqa: PLC0415 - see _watch

        usual = DefaultFilter()

        def is_wanted(change: Change, path: str) -> bool:
            file = Path(path)
            # A single file inside of a tree, such as the model, is watched by `_watch_files` only.
            return usual(change, path) and bool(file.suffix) and file not in self._files

        self._watch(self._trees, is_wanted)

    def _watch_files(self) -> None:
        """Watch the folders of single files, because some editors replace a file with a new one."""
        folders = {file.parent for file in self._files if file.parent.is_dir()}
        self._watch(folders, lambda _, path: Path(path) in self._files, recursive=False)

    def _watch(
        self, paths: Iterable[Path], is_wanted: Callable[..., bool], *, recursive: bool = True
    ) -> None:
        # Imported here, so that the worker starts before this import, because it takes longer.
        from watchfiles import watch  # noqa: PLC0415

        for changes in watch(
            *paths,
            watch_filter=is_wanted,
            step=STEP,
            debounce=MAX_DEBOUNCE,
            stop_event=self._stop,
            recursive=recursive,
            raise_interrupt=False,
        ):
            self._on_change({Path(path) for _, path in changes})
