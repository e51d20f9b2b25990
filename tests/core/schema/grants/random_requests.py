"""Random requests for random objects, most of which are not refused at once."""

from random import Random

from stratabase.core.domain.access.grants import Access

ROLES = {
    "Apple": {
        "one": ("Bush", False),
        "peers": ("Apple", True),
        "peer_of": ("Apple", True),
        "pal": ("Bush", False),
        "seeds": ("Seed", True),
    },
    "Bush": {"many": ("Apple", True), "boss": ("Bush", False)},
    "Seed": {"friend": ("Apple", False), "apple": ("Apple", False)},
}
VALUES = {
    "Apple": ("level", "text", "other", "label", "one_text", "peer_count"),
    "Bush": ("level", "text", "other", "label", "count", "top", "deep"),
    "Seed": ("level", "text", "label", "up"),
}

EVERYTHING = "_id___not___null: true"
"""The filter of bulk services that select every object."""
_REFUSED, _UNREADABLE = 0.02, 0.2
"""How often a request uses what a grant refuses: where that refuses it all, and where a query gets null."""


class RandomRequests:
    """A generator of requests that rarely generates those refused by static grants.

    Queries often select what the caller may not read.
    """

    def __init__(self, access: Access, chance: Random, ids: dict[str, list[str]]) -> None:
        self._access = access
        self._chance = chance
        self._ids = ids
        self._odds = _REFUSED

    def reading(self) -> str:
        """Return a query."""
        class_name = self._chance.choice(["Apple", "Apple", "Bush", "Seed"])
        self._odds = _UNREADABLE
        below = self._selection(class_name, 2)
        self._odds = _REFUSED
        if self._chance.random() < 0.4:
            return f'{{ {class_name}___get(_id: "{self._id(class_name)}") {{ {below} }} }}'
        fresh = ", disableCache: true" if self._chance.random() < 0.3 else ""
        value = f"options: {self._options(class_name)}{fresh}"
        return f"{{ {class_name}___getPage({value}) {{ {self._page(below)} }} }}"

    def writing(self) -> str:
        """Return a mutation, or a query about one."""
        class_name = self._chance.choice(["Apple", "Apple", "Bush"])
        below = self._selection(class_name, 1)
        data = self._data(class_name)
        update = f'data: {{_id: "{self._id(class_name)}", {data}}}'
        many = f"data: {{{data}}}, options: {self._options(class_name, unless_filtered=EVERYTHING)}"
        deleted = self._options(class_name, unless_filtered=EVERYTHING)
        kinds = [
            f"mutation {{ {class_name}___update({update}) {{ {below} }} }}",
            f"{{ {class_name}___previewUpdate({update}) {{ {below} }} }}",
            f"{{ {class_name}___validateUpdate({update}) {{ {ISSUES} }} }}",
            f'mutation {{ {class_name}___delete(_id: "{self._id(class_name)}") {{ deleted }} }}',
            f"mutation {{ {class_name}___updateBulk({many}) {{ totalCount items {{ {below} }} }} }}",
            f"mutation {{ {class_name}___deleteBulk(options: {deleted}) {{ deleted }} }}",
            f"mutation {{ {class_name}___create(data: {{level: 1, {self._values()}}}) {{ {below} }} }}",
        ]
        return self._chance.choices(kinds, [4, 2, 2, 1, 1, 0.3, 2])[0]

    def _id(self, class_name: str) -> str:
        return self._chance.choice([*self._ids[class_name], "none"])

    def _may(self, class_name: str, name: str) -> bool:
        return self._access.read_obstacle(class_name, name) is None

    def _selection(self, class_name: str, depth: int) -> str:
        names = [
            name
            for name in VALUES[class_name]
            if self._chance.random() < 0.5
            and (self._may(class_name, name) or self._chance.random() < self._odds)
        ]
        roles = ROLES[class_name].items() if depth else ()
        for name, (target, many) in roles:
            if self._chance.random() < 0.4 and self._may_follow(class_name, name, target):
                below = self._selection(target, depth - 1)
                page = f"(options: {self._options(target)}) {{ {self._page(below)} }}"
                names.append(f"{name}{page}" if many else f"{name} {{ {below} }}")
        return " ".join(["_id", *names])

    def _may_follow(self, class_name: str, name: str, target: str) -> bool:
        role = self._access.model.classes[class_name].roles[name]
        return self._access.may_follow(class_name, role) or self._chance.random() < self._odds

    def _page(self, below: str) -> str:
        more = [
            name
            for name in ("totalCount", "hasNext", "hasPrev", "nextCursor", "prevCursor")
            if self._chance.random() < 0.6
        ]
        return " ".join([*more, f"items {{ {below} }}"])

    def _options(self, class_name: str, unless_filtered: str = "") -> str:
        asked = [f"{self._chance.choice(['next', 'prev'])}: {self._chance.randrange(6)}"]
        compared = [name for name in VALUES[class_name] if self._may_compare(class_name, name)]
        if filter_ := self._filter(class_name, 2) or unless_filtered:
            asked.append(f"filter: {{{filter_}}}")
        if compared and self._chance.random() < 0.5:
            name = self._chance.choice(compared)
            asked.append(f"orderBy: [{name}___{self._chance.choice(['ASC', 'DESC'])}]")
        if compared and self._chance.random() < 0.2:
            asked.append(f'filter_exp: "!isNull({self._chance.choice(compared)})"')
        return f"{{{', '.join(asked)}}}"

    def _filter(self, class_name: str, depth: int) -> str:
        """Return the fields of a filter: at most one comparison, and at most one test of a role."""
        fields = []
        compared = [name for name in VALUES[class_name] if self._may_compare(class_name, name)]
        if compared and self._chance.random() < 0.5:
            name = self._chance.choice(compared)
            text = name not in {"level", "count", "peer_count"}
            operand = '"m"' if text else "1"
            fields.append(f"{name}___{self._chance.choice(['gt', 'lte', 'ne'])}: {operand}")
        roles = [name for name in ROLES[class_name] if self._may_filter_by(class_name, name)]
        if roles and depth and self._chance.random() < 0.4:
            name = self._chance.choice(roles)
            target, many = ROLES[class_name][name]
            test = self._chance.choice(["___some", "___none", "___every"] if many else ["", "", "___null"])
            below = "true" if test == "___null" else f"{{{self._filter(target, depth - 1)}}}"
            fields.append(f"{name}{test}: {below}")
        if fields and self._chance.random() < 0.2:
            return f"NOT: {{{', '.join(fields)}}}"
        return ", ".join(fields)

    def _may_filter_by(self, class_name: str, name: str) -> bool:
        permission = self._access.field_permission(class_name, name)
        is_conditional = permission is not None and permission.where is not None
        may_follow = self._may_follow(class_name, name, ROLES[class_name][name][0])
        return may_follow and (not is_conditional or self._chance.random() < 0.02)

    def _may_compare(self, class_name: str, name: str) -> bool:
        is_comparable = (
            self._may(class_name, name) and self._access.conditional_source(class_name, name) is None
        )
        return is_comparable or self._chance.random() < _REFUSED

    def _values(self) -> str:
        """Return values that no condition uses, because the effects of conditions may be visible."""
        return ", ".join(f'{name}: "new {name}"' for name in ("text", "other") if self._chance.random() < 0.6)

    def _data(self, class_name: str) -> str:
        roles = ("peers", "peer_of", "seeds") if class_name == "Apple" else ()
        asked = (
            f"{name}: {{{self._role(ROLES[class_name][name][0], parts=name == 'seeds')}}}"
            for name in roles
            if self._chance.random() < 0.3
        )
        return ", ".join(each for each in (self._values(), *asked) if each)

    def _role(self, target: str, *, parts: bool) -> str:
        one = f'"{self._id(target)}"'
        if parts:
            return self._chance.choice(
                [
                    f"delete: [{one}]",
                    "deleteAll: true",
                    'create: [{text: "new", level: 1}]',
                    f'update: [{{_id: {one}, text: "new"}}]',
                ]
            )
        return self._chance.choice([f"add: [{one}]", f"remove: [{one}]", "removeAll: true"])


ISSUES = """isValid issues {
  issueType issueLevel userMessage sourceRequestReference entityID entityName attributeNames roleNames }"""
