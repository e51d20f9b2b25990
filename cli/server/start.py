"""The two ways to serve: in this process, or in one that a supervisor replaces when something changes."""

from pathlib import Path

from cli.fault import BROKEN
from cli.server import configuration
from cli.server.announcer import Announcer
from cli.server.explanation import explain
from cli.server.job import Job
from cli.server.listener import address_of, listen
from cli.server.report import News, Report
from cli.server.supervisor import Supervisor
from stratabase.settings import Settings


def alone(settings: Settings, template: Path) -> int:
    """Serve in this process, until it is told to end."""
    configuration.make_home(settings.home)
    announcer = Announcer()
    with listen(settings.host, settings.port) as listener:
        try:
            from cli.server import service  # noqa: PLC0415 - what goes wrong with it is explained here

            service.serve(Job(template, address_of(listener)), listener, announcer.tell)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is explained
            announcer.tell(Report(News.FAILED, explain(error)))
            return BROKEN
    return 0


def supervised(settings: Settings, template: Path) -> int:
    """Serve in a process of its own, and in a new one whenever the model or the code changes."""
    configuration.make_home(settings.home)
    with listen(settings.host, settings.port) as listener:
        job = Job(template.absolute(), address_of(listener))
        limit = settings.worker_timeout_seconds
        return Supervisor(job, settings.model.absolute(), listener, Announcer(), limit).run()
