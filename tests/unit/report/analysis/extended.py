"""A campaign and the follow-up that extends it, in a bucket and reported."""

from dataclasses import replace
from typing import Any

from encbench.core.artefact import digest_of, encode
from encbench.core.records import IndexEarlier, IndexRecord
from encbench.report.analysis.build import build
from encbench.report.document import Report
from tests.data.report.synthetic import Bucket, Study, write

FIRST = Study(name="demo", concurrency=(4,), blocks=4, noise=0.03)
MORE = replace(FIRST, name="demo-more-1", blocks=8, seed=8)


def announced(index: IndexRecord, extensions: int) -> IndexRecord:
    """The same of a campaign that announces so many extensions."""
    blocks = index.spec.blocks.model_copy(update={"extensions": extensions})
    return index.model_copy(update={"spec": index.spec.model_copy(update={"blocks": blocks})})


def written(
    first: Study = FIRST, more: Study = MORE, extensions: int = 0
) -> tuple[IndexRecord, IndexRecord, Bucket]:
    """Both indexes, and a bucket with all of their records."""
    one, bucket = write(first)
    two, others = write(more)
    one, two = announced(one, extensions), announced(two, extensions)
    key = f"{one.storage.prefix}/report/index.json"
    bucket |= {**others, key: encode(one)}
    earlier = IndexEarlier(campaign=one.campaign, key=key, digest=digest_of(bucket[key]))
    return one, two.model_copy(update={"extends": (earlier,)}), bucket


def reports(**given: Any) -> tuple[Report, Report]:
    """Reports of the first campaign and of its follow-up."""
    one, two, bucket = written(**given)
    return build(one, bucket.__getitem__), build(two, bucket.__getitem__)


def two_incarnations(extensions: int) -> tuple[Report, Report]:
    """The same with a uid each, as a cluster gives them."""
    first, more = reports(extensions=extensions)
    campaign = more.campaign.model_copy(update={"uid": "another"})
    return first, more.model_copy(update={"campaign": campaign})
