"""The table of inputs (api.md section 3): what each has of an object and of its roles."""

from collections.abc import Mapping

from stratabase.schema.inputs import columns
from stratabase.schema.inputs.row import Column, Id, Row
from stratabase.schema.names import Family

_ID = Column(None, columns.one_id)
_IDS = Column(None, columns.several_ids, listed=True)
_DEMANDED_ID = Column(None, columns.one_id, demanding=True)
_DEMANDED_IDS = Column(None, columns.several_ids, listed=True, demanding=True)
_REF = Column(Family.ROLE_REF, columns.reference)
_REFS = Column(Family.ROLE_REFS, columns.references)
_DRAFT_REFS = Column(Family.DRAFT_ROLE_REFS, columns.references)
_ONE_SAVED = "The part with its `_id` to change it; without, to make it, if there is none yet."

_NEW = columns.New(Family.CREATE)
_NEW_DRAFT = columns.New(Family.DRAFT_CREATE)
_CHANGED = columns.Changed(Family.CREATE, Family.UPDATE)
_CHANGED_DRAFT = columns.Changed(Family.DRAFT_CREATE, Family.DRAFT_UPDATE)

_UPDATED = (
    _REF,
    _REFS,
    Column(Family.ROLE_OBJECT, _CHANGED.one),
    Column(Family.ROLE_OBJECTS, _CHANGED.several),
)
_UPDATED_DRAFT = (
    _REF,
    _REFS,
    Column(Family.DRAFT_UPDATE_ROLE_OBJECT, _CHANGED_DRAFT.one),
    Column(Family.DRAFT_UPDATE_ROLE_OBJECTS, _CHANGED_DRAFT.several),
)

TABLE: Mapping[Family, Row] = {
    Family.CREATE: Row(
        Id.NONE,
        client_id=True,
        demanding=True,
        one=_DEMANDED_ID,
        many=_DEMANDED_IDS,
        part=Column(Family.CREATE, _NEW.one, demanding=True),
        parts=Column(Family.CREATE, _NEW.several, listed=True),
    ),
    Family.UPDATE: Row(Id.REQUIRED, False, False, *_UPDATED),
    Family.UPDATE_BULK: Row(Id.NONE, False, False, *_UPDATED),
    Family.DRAFT: Row(
        Id.OPTIONAL,
        client_id=True,
        demanding=False,
        one=_ID,
        many=_DRAFT_REFS,
        part=Column(Family.DRAFT, columns.saved, about=_ONE_SAVED),
        parts=Column(Family.DRAFT_ROLE_OBJECTS, columns.all_saved),
    ),
    Family.DRAFT_CREATE: Row(
        Id.NONE,
        client_id=True,
        demanding=False,
        one=_ID,
        many=_IDS,
        part=Column(Family.DRAFT_CREATE, _NEW_DRAFT.one),
        parts=Column(Family.DRAFT_CREATE, _NEW_DRAFT.several, listed=True),
    ),
    Family.DRAFT_UPDATE: Row(Id.REQUIRED, False, False, *_UPDATED_DRAFT),
    Family.DRAFT_UPDATE_BULK: Row(Id.NONE, False, False, *_UPDATED_DRAFT),
}
