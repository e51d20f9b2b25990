"""Builds what a worker serves, and tells about it."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

from cli import building
from cli.fault import Fault
from cli.gateway import functions, server, template
from cli.members.owners import resolved
from cli.server.job import Job
from cli.server.report import News, Report
from cli.server.sweeper import Sweeper
from cli.server.welcome import left_to_build, password_shown, welcome
from stratabase import bootstrap
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.refusals import BadMember
from stratabase.model.difference import diff_models
from stratabase.model.model import Model
from stratabase.model.reading import InvalidModel, read_model
from stratabase.schema.generate import NothingServed
from stratabase.store.sqlite.errors import UnusableStore


def serve(job: Job, listener: socket.socket, tell: Callable[[Report], None]) -> None:
    """Serve until told to end; tell READY in the event loop. Lets out what goes wrong before that."""
    _set_base_url(job.address)
    declared = template.read(job.template)
    instance = bootstrap.instance()
    _tell_difference(job, instance.settings.model, instance.model, tell)
    try:
        loaded = {each.name: functions.load(each) for each in declared.functions}
        # Before a password is made up: whoever is stopped while it builds would not have told it.
        _build(instance, tell)
        administrator = instance.first_administrator() or instance.present_administrator()
        lacking = _lacking(instance)
        owners = _owners(instance, tell)
    except (BadMember, NothingServed, UnusableStore, Unavailable) as error:
        raise Fault(str(error)) from error
    ready = Report(
        News.READY,
        tuple(welcome(job.address, instance.settings, instance.model, administrator)),
        tuple(password_shown(administrator)),
        (*left_to_build(lacking, refusing=not building.is_embedded(instance.settings)), *owners),
    )
    try:
        milestones = server.Milestones(lambda _end: tell(ready), lambda: tell(Report(News.LEFT)))
        with Sweeper(instance.entities, instance.log):
            server.serve(listener, declared, loaded, milestones)
    finally:
        instance.close()


def _set_base_url(address: str) -> None:
    """Have links lead here, unless it is set where they lead: the address is no https and has no stage."""
    if not os.environ.get("STRATABASE_BASE_URL"):
        os.environ["STRATABASE_BASE_URL"] = address


def _owners(instance: bootstrap.Instance, tell: Callable[[Report], None]) -> tuple[str, ...]:
    """Give ids to the names of members that an older version wrote to an embedded store; return the outcome.

    Other stores may be large, and other processes may serve them: there, a person does that.
    """
    if not building.is_embedded(instance.settings):
        return ()
    return tuple(resolved(instance, say=lambda *lines: tell(Report(News.PROGRESS, lines))))


def _build(instance: bootstrap.Instance, tell: Callable[[Report], None]) -> None:
    """Build what the model needs, where that can be done before it is served. Raises Unavailable."""
    building.build_before_serving(
        instance.settings,
        instance.engine,
        instance.model,
        lambda *lines: tell(Report(News.PROGRESS, lines)),
    )


def _lacking(instance: bootstrap.Instance) -> tuple[str, ...]:
    """Return what a reindex has to build; nothing when the store cannot say, which health checks tell."""
    try:
        return instance.entities.unbuilt()
    except Unavailable:
        return ()


def _tell_difference(job: Job, file: Path, model: Model, tell: Callable[[Report], None]) -> None:
    if job.previous_model is None:
        return
    try:
        previous = read_model(job.previous_model, str(file))
    except InvalidModel:
        return  # the code has changed, and takes for mistakes what it did not before
    lines = tuple(diff_models(previous, model))
    if lines:
        tell(Report(News.CHANGED, lines))
