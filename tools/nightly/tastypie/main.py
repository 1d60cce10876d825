"""Serves conferences on a real Tastypie, at 127.0.0.1 and with SQLite in memory, one call at a time.

Prints its port, and ends when its standard input does. The arguments are user name and password of its account.
"""

import os
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
import tastypie
from django.conf import settings

if tastypie.VERSION < (0, 14):
    import aliases  # noqa: F401

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:", "ATOMIC_REQUESTS": True}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "peer"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    ROOT_URLCONF="peer.urls",
    SECRET_KEY="none",
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from peer import models  # noqa: E402


def end_with_standard_input():
    sys.stdin.read()
    os._exit(0)


call_command("migrate", run_syncdb=True, verbosity=0)
User.objects.create_user(sys.argv[1], password=sys.argv[2])
for name in ("One", "Two"):
    models.AutomaticParticipant.objects.create(alias=name, description="shared")
    for model in models.Named.__subclasses__():
        model.objects.create(name=name)
models.LiveConference.objects.create(id="5e0f2f0c-3a53-4a0e-8a3e-6d2f3a6c9b10", name="live é")
models.Alarm.objects.create(name="licenses_exhausted", level="warning")

WSGIRequestHandler.log_message = lambda *_: None
server = make_server("127.0.0.1", 0, get_wsgi_application())
threading.Thread(target=end_with_standard_input, daemon=True).start()
print(server.server_port, flush=True)
server.serve_forever()
