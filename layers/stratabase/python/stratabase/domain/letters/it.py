"""The letters in Italian."""

from stratabase.domain.letters.letter import Letter, Letters

_RESET = Letter(
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

_INVITATION = Letter(
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

LETTERS = Letters(_RESET, _INVITATION)
