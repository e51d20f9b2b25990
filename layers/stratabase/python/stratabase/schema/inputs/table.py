"""The table of inputs (api.md section 3): what each has of an object and of its roles."""

from collections.abc import Mapping

from stratabase.model.api_names import GeneratedType
from stratabase.schema.inputs import columns
from stratabase.schema.inputs.row import Column, Id, Row

_ID = Column(None, columns.one_id)
_IDS = Column(None, columns.several_ids, listed=True)
_DEMANDED_ID = Column(None, columns.one_id, demanding=True)
_DEMANDED_IDS = Column(None, columns.several_ids, listed=True, demanding=True)
_REF = Column(GeneratedType.ROLE_REF, columns.reference)
_REFS = Column(GeneratedType.ROLE_REFS, columns.references)
_DRAFT_REFS = Column(GeneratedType.DRAFT_ROLE_REFS, columns.references)
_ONE_SAVED = "The part with its `_id` to change it; without, to make it, if there is none yet."

_NEW = columns.New(GeneratedType.CREATE)
_NEW_DRAFT = columns.New(GeneratedType.DRAFT_CREATE)
_CHANGED = columns.Changed(GeneratedType.CREATE, GeneratedType.UPDATE)
_CHANGED_DRAFT = columns.Changed(GeneratedType.DRAFT_CREATE, GeneratedType.DRAFT_UPDATE)

_UPDATED = (
    _REF,
    _REFS,
    Column(GeneratedType.ROLE_OBJECT, _CHANGED.one),
    Column(GeneratedType.ROLE_OBJECTS, _CHANGED.several),
)
_UPDATED_DRAFT = (
    _REF,
    _REFS,
    Column(GeneratedType.DRAFT_UPDATE_ROLE_OBJECT, _CHANGED_DRAFT.one),
    Column(GeneratedType.DRAFT_UPDATE_ROLE_OBJECTS, _CHANGED_DRAFT.several),
)

TABLE: Mapping[GeneratedType, Row] = {
    GeneratedType.CREATE: Row(
        Id.NONE,
        client_id=True,
        demanding=True,
        one=_DEMANDED_ID,
        many=_DEMANDED_IDS,
        part=Column(GeneratedType.CREATE, _NEW.one, demanding=True),
        parts=Column(GeneratedType.CREATE, _NEW.several, listed=True),
    ),
    GeneratedType.UPDATE: Row(Id.REQUIRED, False, False, *_UPDATED),
    GeneratedType.UPDATE_BULK: Row(Id.NONE, False, False, *_UPDATED),
    GeneratedType.DRAFT: Row(
        Id.OPTIONAL,
        client_id=True,
        demanding=False,
        one=_ID,
        many=_DRAFT_REFS,
        part=Column(GeneratedType.DRAFT, columns.saved, about=_ONE_SAVED),
        parts=Column(GeneratedType.DRAFT_ROLE_OBJECTS, columns.all_saved),
    ),
    GeneratedType.DRAFT_CREATE: Row(
        Id.NONE,
        client_id=True,
        demanding=False,
        one=_ID,
        many=_IDS,
        part=Column(GeneratedType.DRAFT_CREATE, _NEW_DRAFT.one),
        parts=Column(GeneratedType.DRAFT_CREATE, _NEW_DRAFT.several, listed=True),
    ),
    GeneratedType.DRAFT_UPDATE: Row(Id.REQUIRED, False, False, *_UPDATED_DRAFT),
    GeneratedType.DRAFT_UPDATE_BULK: Row(Id.NONE, False, False, *_UPDATED_DRAFT),
}
