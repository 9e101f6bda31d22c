"""The checks of InferenceX's sign-off verification, under their numbers."""

from __future__ import annotations

from infxreg.policy import ChangePolicy, SpecPolicy
from infxreg.records import Policy, PolicySeverity
from infxreg.values import FrozenMap
from infxreg_inferencex import changes, specs

_SOURCE = "InferenceX, .github/codeowner-signoff-verify-prompt.md and docs/PR_REVIEW_CHECKLIST.md"


def _check(
    number: int,
    id: str,
    en: str,
    zh: str,
    spec: SpecPolicy | None = None,
    change: ChangePolicy | None = None,
    severity: PolicySeverity = "error",
) -> Policy:
    return Policy(
        id=id,
        number=number,
        title=FrozenMap({"en": en, "zh": zh}),
        source=f"{_SOURCE}, Check {number}",
        severity=severity,
        spec=spec,
        change=change,
    )


CHECKLIST = (
    _check(0, "codeowner", "Code owner", "代码负责人签核", change=changes.codeowner),
    _check(
        1,
        "passing-sweep",
        "Passing sweep on a commit of the change",
        "改动内提交的性能运行通过",
        change=changes.passing_sweep,
    ),
    _check(2, "passing-evals", "Evals pass", "精度评测通过", change=changes.passing_evals),
    _check(
        3,
        "upstream-recipe",
        "Recipe linked and merged upstream",
        "上游配方已链接并合并",
        change=changes.upstream_recipe,
    ),
    _check(4, "reuse", "Reuse of a run", "复用运行", change=changes.reuse),
    _check(
        5,
        "latest-checklist",
        "Latest checklist",
        "最新评审清单",
        change=changes.latest_checklist,
    ),
    _check(
        6,
        "upstream-image",
        "Upstream images, engine first",
        "上游镜像,先支持上游引擎",
        spec=specs.upstream_image,
        change=changes.engine_first,
    ),
    _check(
        7,
        "not-deprecated",
        "No deprecated model or scenario",
        "不含已弃用的模型或场景",
        spec=specs.not_deprecated,
    ),
    _check(
        8,
        "native-architecture",
        "No override of the model's architecture",
        "不改动模型结构",
        spec=specs.native_architecture,
    ),
    _check(
        9,
        "chat-template",
        "Speculative decoding through the chat template",
        "投机解码经由对话模板",
        spec=specs.chat_template,
    ),
    _check(
        10,
        "no-engine-patches",
        "No engine patches without a waiver",
        "无豁免不得修改引擎",
        spec=specs.as_shipped,
        change=changes.no_patches,
    ),
    _check(
        11,
        "golden-acceptance",
        "Golden acceptance length",
        "标准接受长度",
        spec=specs.golden_acceptance,
    ),
    _check(12, "append-only", "Append-only", "仅追加", change=changes.append_only),
    _check(
        13,
        "draft-as-shipped",
        "Draft as it ships",
        "草稿模型按发布精度运行",
        spec=specs.draft_as_shipped,
    ),
    _check(
        14,
        "pareto-coverage",
        "Pareto coverage",
        "帕累托前沿覆盖",
        change=changes.pareto_coverage,
    ),
)
"""Every check that a sign-off is verified by; what configuration can't decide asks the forge."""
