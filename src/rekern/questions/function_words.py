"""Lists of the function words of English and Chinese. A word that is in none of them is a content word.

Interrogatives count as function words even if a tagger says otherwise: they say what the question asks for.
"""


def read_words(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text.

    >>> sorted(read_words("who whom"))
    ['who', 'whom']
    """
    return frozenset(text.split())


INTERROGATIVES = read_words(
    """
    what whats what's which who who's whos whom whose when where where's wheres why how how's hows whatever
    whichever wat wut wht whut wich whn whr y 什么 甚么 什麼 啥 怎么 怎麼 怎样 怎么样 咋 咋样 如何 为什么 為什麼
    为何 为啥 干嘛 干吗 谁 谁的 哪 哪里 哪儿 哪些 哪个 哪种 哪家 哪位 哪款 哪部 哪本 哪类 哪几 几 几个 几点 几种
    几时 多少 多大 多长 多久 多高 多远 多重 多深 多快 多宽 何 何时 何处 何谓 何为 是否 吗 么 嘛 呢
    """
)

ENGLISH = read_words(
    """
    a an the this that these those some any each every all both no either neither another such of in on at by for
    from to with without within into onto out off over under up down about above below across after against along
    among around as before behind between beyond during except like near per since than through throughout toward
    towards until till upon via versus vs and or but nor so yet if because although though unless while whether
    whereas once be am is are was were been being 's 're 'm 've 'd 'll isn't aren't wasn't weren't ain't do does did
    done doing don't doesn't didn't dont doesnt didnt have has had having haven't hasn't hadn't havent hasnt can
    could may might must shall should will would ought need needn't ca wo sha can't cannot couldn't shouldn't won't
    wouldn't mustn't cant couldnt shouldnt wont wouldnt not n't there here please ok okay hi hello i me my mine
    myself you your yours yourself he him his himself she her hers herself it its itself we us our ours they them
    their theirs one ones someone somebody anyone anybody everyone everybody something anything everything nothing
    nobody u ur im i'm ive i've it's that's there's you're they're we're
    """
)

# Forms of auxiliaries and pronouns: "how did you …" and "how do I …" ask in the same way.
_FORMS = {
    "be": "is are was were am been being 's 're 'm",
    "do": "does did done doing",
    "have": "has had having 've",
    "can": "could",
    "will": "would 'll",
    "i": "me my mine we us our",
    "you": "your yours u ur",
}
_BASE_FORMS = {form: base for base, forms in _FORMS.items() for form in forms.split()}

CHINESE = read_words(
    """
    的 地 得 了 着 过 之 所 是 是不是 有 有没有 没有 没 不 不是 不能 不会 别 非 在 和 与 跟 同 或 或者 还是 以及 及
    并 并且 而 而且 且 对 对于 关于 从 自 到 至 把 将 被 给 让 使 叫 比 向 往 朝 由 由于 于 以 以便 因 因为 所以
    因此 如果 要是 假如 若 虽然 但 但是 可是 不过 即使 为 为了 按 按照 根据 通过 除了 除 当 当时 时 时候 的话 只要
    只有 无论 不管 既 既然 那么 然后 能 能不能 能否 可以 可不可以 可否 会 会不会 要 要不要 想 应 应该 应当 该 该不该
    必须 需 需要 得不得 值得 好不好 行不行 对不对 算不算 用不用 吧 啊 呀 哦 哈 啦 哇 呗 哟 吖 呐 请 请问 请教 求
    求助 麻烦 谁能 谁有 谁知道 这 那 这个 那个 这些 那些 这种 那种 这样 那样 这里 那里 每 各 某 此 本 其 个 种 些 位
    次 件 条 只 张 家 部 款 台 间 名 份 项 就 都 也 还 又 再 才 一下 上 下 里 中 内 外 前 后 之间 之前 之后 以前
    以后 以上 以下 等 等等
    """
)

# Content words that contain a function word. They are matched as a whole.
CHINESE_CONTENT = read_words(
    """
    目的 的确 的士 地方 地球 地图 地铁 地址 地区 地震 土地 当地 地理 地狱 得到 获得 心得 觉得 记得 懂得 显得 了解
    着急 着装 过程 过去 经过 超过 通过率 过敏 过年 过期 是非 有名 有趣 有效 有限 有关 拥有 所有 国有 富有 没落 不同
    不错 不足 不良 不断 不锈钢 不孕 和平 和谐 温和 暖和 共和国 与会 参与 对象 对手 对比 对方 面对 反对 绝对 从事
    从前 自己 自动 自然 自由 自行车 各自 到达 到期 迟到 达到 将来 将军 即将 被子 给力 让步 使用 大使 天使 叫做 比赛
    比例 比较 无比 向日葵 方向 往往 由来 理由 以太 因素 原因 基因 若干 但丁 为人 行为 作为 成为 认为 以为 除夕 除湿
    除法 当前 当然 时间 时代 时尚 小时 平时 及时 按摩 按钮 能力 能量 功能 可能 性能 智能 节能 能源 会议 会计 社会
    机会 协会 会员 大会 议会 公会 工会 要求 主要 重要 需求 想法 思想 理想 梦想 联想 应用 反应 适应 供应 相应 该死
    请求 求职 要素 中国 中文 中学 中心 中医 其中 高中 初中 集中 中午 中秋 外国 外语 外卖 国外 内容 内存 内地 内科
    以内 前端 目前 前途 前列腺 后台 后果 后悔 皇后 里程 公里 上海 上网 网上 上班 上市 早上 晚上 马上 下载 下班 地下
    下雨 手下 个人 个性 个税 种子 种植 品种 物种 部门 部分 部队 全部 内部 本科 本地 本人 日本 成本 版本 资本 基本
    根本 书本 台湾 台风 电台 平台 房间 空间 名字 名称 姓名 著名 名著 份额 股份 身份 月份 项目 事项 条件 条款 面条
    条约 文件 软件 邮件 硬件 零件 件数 国家 大家 专家 家庭 家具 家长 回家 作家 等级 等于 平等 高等 初等 那曲 每天
    每年 每日 各地 各种 某些 本身 成就 就业 就是 首都 都市 成都 还款 还原 再见 人才 才能 才华 天才 只是 求婚 同学
    同意 同时 合同 相同 共同 或许 几何 几乎 任何 多么 为难 非常 非洲 除非 别人 特别 分别 性别 区别 级别
    """
)


def unify_form(word: str) -> str:
    """Return the base form of an English auxiliary or of a pronoun of the first or second person; else the word.

    >>> [unify_form(word) for word in "what did your cats do".split()]
    ['what', 'do', 'you', 'cats', 'do']
    """
    return _BASE_FORMS.get(word, word)
