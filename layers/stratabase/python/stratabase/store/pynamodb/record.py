"""What all records of the table have: their keys, and when DynamoDB may forget them."""

from pynamodb.attributes import TTLAttribute, UnicodeAttribute
from pynamodb.models import Model


class Record(Model):
    """A record; its kinds are classes that know no table until `Table.kind` puts them into one.

    Keys are short texts: what is long, or comes from outside, is part of a key only as a hash.
    """

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    expires = TTLAttribute(null=True)
    """When DynamoDB may delete the record, which it does some days later; until then it is the clock's."""

    def __repr__(self) -> str:
        # Not what is in it: it may hold hashes of passwords, and texts like this one get into logs.
        return f"{type(self).__name__}({self.pk!r}, {self.sk!r})"
