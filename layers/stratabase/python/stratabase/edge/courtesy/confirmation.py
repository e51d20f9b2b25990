"""What a person with a browser gets at the address of a link to confirm an e-mail address."""

from stratabase.domain.link import UnusableLink
from stratabase.domain.member import Member
from stratabase.domain.member_refusals import MemberTaken
from stratabase.domain.refusal import Refusal, Unavailable
from stratabase.edge.courtesy.languages import CONFIRMATIONS, language_for
from stratabase.edge.courtesy.notice import notice
from stratabase.edge.courtesy.page import Frame
from stratabase.edge.courtesy.parts import filled
from stratabase.edge.courtesy.texts import ConfirmationNews as News
from stratabase.edge.courtesy.visits import DONE, RESULT, result_language, result_page
from stratabase.edge.noting import noted
from stratabase.edge.refusals import Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.observe import Log
from stratabase.operations.members.email_change import ADDRESS, EmailChange


class ConfirmationPages:
    """Answers with pages, in the language of the link's member, or else in one that the browser asks for.

    Nothing happens until somebody presses the button: programs that look at mail open the links in it.
    """

    def __init__(self, emails: EmailChange, application: str, log: Log) -> None:
        self._emails = emails
        self._application = application
        self._log = log

    def show(self, request: Request) -> Response:
        """Return the page with the button for a link, or what else there is to say."""
        if request.query.get(RESULT) == (DONE,):
            return self._notice(result_language(request), News.DONE)
        tokens = request.query.get("token")
        if tokens is None:
            return self._notice(language_for(request), News.MISSING)
        try:
            member = self._emails.inspect(tokens[-1])
        except (UnusableLink, Unavailable) as refusal:
            return self._refused(request, refusal)
        return confirmation_page(self._application, tokens[-1], language_for(request, member), member)

    def take(self, request: Request, token: str) -> Response:
        """Confirm the address to which a link went, and lead to the page that says so."""
        member = None
        try:
            member = self._emails.inspect(token)
            self._emails.confirm(token)
        except (UnusableLink, MemberTaken, Unavailable) as refusal:
            return self._refused(request, refusal, member)
        return result_page(request, ADDRESS, language_for(request, member))

    def _refused(self, request: Request, refusal: Refusal, member: Member | None = None) -> Response:
        """Return a page without the button, which says why, to a member if it is known whose link it is."""
        news = News.TAKEN if isinstance(refusal, MemberTaken) else News.LATER
        if isinstance(refusal, UnusableLink):
            news, member = News.EXPIRED if refusal.expired else News.UNKNOWN, refusal.member
        return self._notice(language_for(request, member), news, *noted(self._log, request, refusal))

    def _notice(self, language: str, news: News, status: int = 200, headers: Headers = ()) -> Response:
        return notice(self._application, language, CONFIRMATIONS[language].notices[news], status, headers)


def confirmation_page(application: str, token: str, language: str, member: Member) -> Response:
    """Return the page with the button that confirms a member's pending address."""
    texts = CONFIRMATIONS[language]
    inside = filled(
        "confirmation.html",
        account=texts.account,
        username=member.username,
        address=texts.address,
        email=member.pending_email or "",
        advice=texts.advice,
        token=token,
        confirm=texts.confirm,
    )
    return Frame(application, language, texts.heading, texts.heading, inside).response(200)
