"""What a profile may do that may not do everything."""

from stratabase.domain.access.access import Access
from stratabase.domain.access.allowed import Allowed
from stratabase.domain.access.of_model import access_of

__all__ = ["Access", "Allowed", "access_of"]
