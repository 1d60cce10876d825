"""The platform's objects, with the fields and rules that the contract looks at."""

from django.core.exceptions import ValidationError
from django.core.validators import MinLengthValidator
from django.db import models


def text(length=250, **options):
    return models.CharField(max_length=length, blank=True, default="", **options)


def to_one(model):
    return models.ForeignKey(model, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")


class Named(models.Model):
    name = text()

    class Meta:
        abstract = True


class IvrTheme(Named):
    pass


class MediaLibraryPlaylist(Named):
    pass


class TeamsProxy(Named):
    pass


class AutomaticParticipant(models.Model):
    alias = text()
    description = text()


class Conference(models.Model):
    name = models.CharField(max_length=250, unique=True)
    description = text()
    service_type = text()
    tag = text()
    pin = text(20, validators=[MinLengthValidator(6)])
    guest_pin = text(20, validators=[MinLengthValidator(6)])
    allow_guests = models.BooleanField(default=False)
    participant_limit = models.PositiveIntegerField(null=True, blank=True)
    automatic_participants = models.ManyToManyField(AutomaticParticipant, blank=True)
    ivr_theme = to_one(IvrTheme)
    media_playlist = to_one(MediaLibraryPlaylist)
    teams_proxy = to_one(TeamsProxy)

    def clean(self):
        if self.allow_guests and not self.pin:
            raise ValidationError("A host PIN is required when guests are allowed.")


class ConferenceAlias(models.Model):
    alias = models.CharField(max_length=250, unique=True)
    conference = models.ForeignKey(Conference, on_delete=models.CASCADE, related_name="aliases")


class LiveConference(models.Model):
    id = models.CharField(max_length=40, primary_key=True)
    name = text()


class Alarm(models.Model):
    name = text()
    level = text()
