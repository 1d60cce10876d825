"""What Debian's Tastypie 0.13 imports, and its Django 3.2 has elsewhere or no more. Must be imported before Tastypie."""

import sys

import django.middleware.csrf as csrf
import django.urls
import django.utils.encoding
import six.moves.urllib.parse
from django.db.models import Field
from django.db.models.sql import constants
from django.db.models.sql.query import Query
from django.utils.crypto import constant_time_compare

sys.modules["django.core.urlresolvers"] = django.urls
sys.modules["django.utils.six"] = django.utils.six = six
for name in ("moves", "moves.urllib", "moves.urllib.parse"):
    sys.modules[f"django.utils.six.{name}"] = sys.modules[f"six.{name}"]
constants.QUERY_TERMS = Query.query_terms = {"exact", "in"}
Field.rel = property(lambda field: field.remote_field)
django.utils.encoding.python_2_unicode_compatible = lambda decorated: decorated
csrf._sanitize_token = lambda token: token
csrf.constant_time_compare = constant_time_compare
