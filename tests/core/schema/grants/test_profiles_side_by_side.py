"""Callers of several profiles use one service in turn, and its caches mix up nothing of theirs."""

from tests.core.schema.grants.guild_api import MANAGER, SCRIBE, SMITH, GuildApi
from tests.fakes import ADMINISTRATOR

CALLERS = (ADMINISTRATOR, SMITH, MANAGER, SCRIBE)
ROUNDS = 3
QUERIES = (
    "{ Master___getPage { totalCount items { name salary pin twice title diary team { secret payroll } } } }",
    "{ Master___getPage { items { rivals { totalCount } sins { totalCount } tools { items { weight } } } } }",
    "{ Team___getPage(options: {orderBy: [head_count___ASC]}) { items { name head_count vault { code } } } }",
    "{ Master___getPage(options: {filter: {salary___gt: 3}}) { totalCount } }",
    '{ Master___getPage(options: {filter_exp: "salary > 3"}) { totalCount } }',
    '{ Master___getPage(options: {filter_exp: "salery > 3"}) { totalCount } }',
    "{ Vault___getPage { totalCount } }",
    '{ Master___validateCreate(data: {name: "x", level: 1, salary: 3}) { isValid issues { issueType } } }',
    "{ Safe___get { code } Hall___get { name } }",
)


def test_each_profile_gets_the_answers_of_a_service_without_caches(guild: GuildApi) -> None:
    team = guild.create("Team", name="red", secret="s", vault=guild.create("Vault", code="007"))
    guild.master("Ada", 1, team=team, salary=7, pin="p", diary="d", tools=[{"label": "saw", "weight": 3}])
    guild.master("Zoe", 9, team=team, salary=8, sins=[{"label": "pride"}])

    for query in QUERIES:
        fresh = {caller.profile: GuildApi(guild.entities).body(query, caller) for caller in CALLERS}
        assert fresh["Administrator"]["data"] == fresh["Manager"]["data"]
        for round_ in range(ROUNDS):
            for caller in CALLERS if round_ % 2 else reversed(CALLERS):
                assert guild.body(query, caller) == fresh[caller.profile], (caller.profile, query)
