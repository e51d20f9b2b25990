"""The routes of members, passwords and tokens. See `core.app.routes`."""

from stratabase.core.app.app import App
from stratabase.core.app.routes import Route


def token_routes() -> tuple[Route, ...]:
    """Return the routes of tokens."""
    from stratabase.members.app.auth_services import AuthServices
    from stratabase.members.endpoints.tokens import get_token_endpoint, refresh_token_endpoint

    return (
        Route(
            "/public/token/getJwtToken",
            lambda app: get_token_endpoint(
                app.part(AuthServices).sign_in, app.part(AuthServices).session_tokens
            ),
        ),
        Route(
            "/auth/token/refreshJwtToken",
            lambda app: refresh_token_endpoint(app.part(AuthServices).session_tokens),
        ),
    )


def signin_routes() -> tuple[Route, ...]:
    """Return the routes of the function `signin`: sign-in with providers, and links to accounts there."""
    from stratabase.members.app.provider_sign_in import ProviderSignInServices
    from stratabase.members.endpoints.exchange import exchange_endpoint
    from stratabase.members.endpoints.links import link_endpoint, links_endpoint
    from stratabase.members.endpoints.sign_in_page import SignInPage
    from stratabase.members.endpoints.sign_in_ways import sign_in_ways_endpoint
    from stratabase.members.endpoints.sign_in_with_provider import SignInEndpoints
    from stratabase.members.pages.account import ACCOUNT_PATH, account_endpoint
    from stratabase.members.pages.sign_in import SignInPages

    def services(app: App) -> ProviderSignInServices:
        return app.part(ProviderSignInServices)

    def pages(app: App) -> SignInPages:
        return SignInPages(app.model.application, app.settings.app_url)

    def endpoints(app: App) -> SignInEndpoints:
        parts = services(app)
        return SignInEndpoints(lambda: parts.sign_in, lambda: parts.cookies, pages(app), app.clock, app.log)

    def sign_in_page(app: App) -> SignInPage:
        parts = services(app)
        return SignInPage(parts.ways, parts.check_end, parts.sign_in_by_password, pages(app), app.log)

    return (
        Route("/public/signIn", lambda app: sign_in_ways_endpoint(services(app).ways, sign_in_page(app))),
        Route(ACCOUNT_PATH, lambda app: account_endpoint(app.model.application)),
        Route("/public/signIn/{provider}", lambda app: endpoints(app).begin()),
        Route("/public/signIn/{provider}/callback", lambda app: endpoints(app).callback()),
        Route("/public/signIn/{provider}/signOut", lambda app: endpoints(app).sign_out()),
        Route("/public/token/exchange", lambda app: exchange_endpoint(lambda: services(app).exchange)),
        Route(
            "/auth/administration/members/{id}/links",
            lambda app: links_endpoint(lambda: services(app).links),
        ),
        Route(
            "/auth/administration/members/{id}/links/{provider}",
            lambda app: link_endpoint(lambda: services(app).links),
        ),
    )


def member_routes() -> tuple[Route, ...]:
    """Return the routes of members and their passwords."""
    from stratabase.members.app.member_services import MemberServices
    from stratabase.members.endpoints.audit import audit_endpoint
    from stratabase.members.endpoints.hand_over import hand_over_endpoint
    from stratabase.members.endpoints.member import current_member_endpoint, member_endpoint
    from stratabase.members.endpoints.member_keys import member_key_endpoint, member_keys_endpoint
    from stratabase.members.endpoints.members import members_endpoint
    from stratabase.members.endpoints.reset_password import reset_password_endpoint
    from stratabase.members.endpoints.sessions import session_endpoint, sessions_endpoint
    from stratabase.members.operations.email_change import CONFIRM_EMAIL_PATH as CONFIRM_EMAIL
    from stratabase.members.operations.password_reset import FORGOT_PASSWORD_PATH as FORGOT_PASSWORD
    from stratabase.members.operations.password_reset import SET_PASSWORD_PATH as SET_PASSWORD
    from stratabase.members.pages.confirm_email import confirm_email_endpoint
    from stratabase.members.pages.forgot_password import forgot_password_endpoint
    from stratabase.members.pages.set_password import set_password_endpoint

    def services(app: App) -> MemberServices:
        return app.part(MemberServices)

    return (
        Route(
            "/auth/administration/member",
            lambda app: current_member_endpoint(services(app), services(app).shapes),
        ),
        Route(
            "/auth/administration/members",
            lambda app: members_endpoint(services(app), services(app).shapes),
        ),
        Route(
            "/auth/administration/members/{id}",
            lambda app: member_endpoint(services(app), services(app).shapes),
        ),
        Route("/auth/administration/members/{id}/keys", lambda app: member_keys_endpoint(services(app))),
        Route("/auth/administration/members/{id}/keys/{key}", lambda app: member_key_endpoint(services(app))),
        Route(
            "/auth/administration/members/{id}/resetPassword",
            lambda app: reset_password_endpoint(services(app).password_reset.start),
        ),
        Route(
            "/auth/administration/members/{id}/handOver",
            lambda app: hand_over_endpoint(lambda *given: services(app).hand_over(*given)),
        ),
        Route(
            "/auth/administration/members/{id}/sessions",
            lambda app: sessions_endpoint(services(app).list_sessions, services(app).end_sessions),
        ),
        Route(
            "/auth/administration/members/{id}/sessions/{session}",
            lambda app: session_endpoint(services(app).end_sessions),
        ),
        Route(
            "/auth/administration/audit",
            lambda app: audit_endpoint(services(app).read_audit_trail),
        ),
        Route(
            SET_PASSWORD,
            lambda app: set_password_endpoint(services(app).password_reset, services(app).set_password_pages),
        ),
        Route(
            FORGOT_PASSWORD,
            lambda app: forgot_password_endpoint(
                services(app).request_forgotten_password,
                services(app).forgot_password_pages,
            ),
        ),
        Route(
            CONFIRM_EMAIL,
            lambda app: confirm_email_endpoint(services(app).email_change, services(app).confirm_email_pages),
        ),
    )
