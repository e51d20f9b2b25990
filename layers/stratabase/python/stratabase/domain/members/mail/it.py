"""The mail templates in Italian."""

from stratabase.domain.members.mail.template import MailTemplate, MailTemplates

_RESET = MailTemplate(
    "{application}: scegli una nuova password",
    """\
Ciao {username},

è stata chiesta una nuova password per il tuo account "{username}" su {application}.

Per sceglierla, apri questo indirizzo entro un'ora:

{link}

L'indirizzo funziona una volta sola. Fino ad allora la password attuale resta
valida.

Se non vuoi una nuova password, non devi fare nulla: senza questo indirizzo
nessuno può sceglierne una. Non inoltrarlo ad altri.
""",
)
_INVITATION = MailTemplate(
    "{application}: ti diamo il benvenuto, scegli la password",
    """\
Ciao {username},

è stato creato un account per te su {application}. Il tuo nome utente è "{username}".

Per scegliere la password, apri questo indirizzo entro un'ora:

{link}

L'indirizzo funziona una volta sola. Se l'ora è passata, chiedine uno nuovo a
chi amministra {application}. Non inoltrarlo ad altri.
""",
)
_CONFIRMATION = MailTemplate(
    "{application}: conferma il tuo nuovo indirizzo email",
    """\
Ciao {username},

{email} diventerà l'indirizzo email dell'account "{username}" su {application}.

Per confermarlo, apri questo link entro un'ora e premi il pulsante sulla pagina:

{link}

Il link funziona una volta sola. Fino ad allora l'account mantiene l'indirizzo email
attuale.

Se non l'hai chiesto tu, o se l'account non è tuo, non fare nulla: nulla cambierà.
Non premere il pulsante e non inoltrare il link ad altri.
""",
)
_CHANGE_REQUESTED = MailTemplate(
    "{application}: è stato chiesto un altro indirizzo email",
    """\
Ciao {username},

è stato chiesto un altro indirizzo email per il tuo account "{username}" su {application}.
I messaggi arrivano a {email} finché il nuovo indirizzo non viene confermato da lì.

Se l'hai chiesto tu, qui non devi fare nulla.

Altrimenti qualcuno potrebbe conoscere la tua password: cambiala ora. Così annulli anche
il cambio di indirizzo. Chi amministra {application} può aiutarti.
""",
)
_CHANGED = MailTemplate(
    "{application}: il tuo indirizzo email è cambiato",
    """\
Ciao {username},

il tuo account "{username}" su {application} ora ha un altro indirizzo email, che è stato
confermato da lì. D'ora in poi i messaggi arrivano lì e non più a {email}.

Se non l'hai chiesto tu, avvisa subito chi amministra {application}.
""",
)
TEMPLATES = MailTemplates(_RESET, _INVITATION, _CONFIRMATION, _CHANGE_REQUESTED, _CHANGED)
