"""The configuration and status APIs of these models. What is not set here is Tastypie's own behaviour."""

from django.core.exceptions import ValidationError
from django.urls import include, re_path
from tastypie.api import NamespacedApi
from tastypie.authentication import BasicAuthentication
from tastypie.authorization import Authorization
from tastypie.fields import ToManyField, ToOneField
from tastypie.resources import ALL, NamespacedModelResource
from tastypie.validation import Validation

from . import models


class ModelRules(Validation):
    def is_valid(self, bundle, request=None):
        relations = [field.name for field in bundle.obj._meta.fields if field.is_relation]
        try:
            bundle.obj.full_clean(exclude=relations)
        except ValidationError as error:
            return error.message_dict
        return {}


apis = {family: NamespacedApi("v1", urlconf_namespace=family) for family in ("configuration", "status")}
urlpatterns = []


def resource(path, model, options=(), **relations):
    family, name = path.split("/")
    settings = {
        "authentication": BasicAuthentication(realm="management"),
        "authorization": Authorization(),
        "filtering": {"name": ALL},
        "max_limit": 1000,
        "ordering": ["name"],
        "queryset": model.objects.all(),
        "resource_name": name,
        "urlconf_namespace": family,
        **dict(options),
    }
    created = type(model.__name__, (NamespacedModelResource,), {"Meta": type("Meta", (), settings), **relations})
    apis[family].register(created())
    return created


embedded = {"include_resource_uri": False}
checked = {"validation": ModelRules()}
theme = resource("configuration/ivr_theme", models.IvrTheme)
playlist = resource("configuration/media_library_playlist", models.MediaLibraryPlaylist)
proxy = resource("configuration/teams_proxy", models.TeamsProxy)
participant = resource("configuration/automatic_participant", models.AutomaticParticipant, embedded)
parent = ToOneField("peer.urls.Conference", "conference")
alias = resource("configuration/conference_alias", models.ConferenceAlias, {**embedded, **checked}, conference=parent)
Conference = resource(
    "configuration/conference",
    models.Conference,
    checked,
    aliases=ToManyField(alias, "aliases", full=True, null=True, related_name="conference"),
    automatic_participants=ToManyField(participant, "automatic_participants", full=True, null=True),
    ivr_theme=ToOneField(theme, "ivr_theme", full=True, null=True),
    media_playlist=ToOneField(playlist, "media_playlist", null=True),
    teams_proxy=ToOneField(proxy, "teams_proxy", null=True),
)
resource("status/conference", models.LiveConference, {"allowed_methods": ["get"]})
resource("status/alarm", models.Alarm, {"allowed_methods": ["get"]})
for family, api in apis.items():
    urlpatterns.append(re_path(f"^api/admin/{family}/", include((api.urls, family))))
