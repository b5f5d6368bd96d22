import CaptureProtocol
import Foundation

/// The page about the public log: what it is, where it stands, how to follow it.
struct LogView: Sendable {
    let facts: LogFacts
    /// Text of the installation's policy.
    let policy: String?
    let publicURL: String
    let strings: StringTable

    func page() -> Page {
        var context: ViewContext = ["prefix": "\(publicURL)/log/", "shards": facts.shards.map(shard)]
        context["policy"] = policy
        if let newest = facts.shards.first { context["prefix"] = "\(publicURL)/log/\(newest.origin.split(separator: "/").last ?? "")" }
        return Page(template: .log, title: strings("title.page", ["page": strings("log.h1")]), path: "/log", context: context)
    }

    private func shard(_ shard: LogFacts.Shard) -> ViewContext {
        let format = ValueFormatter(strings: strings)
        var context: ViewContext = ["origin": shard.origin, "key": shard.key, "state": state(shard.state, format)]
        context["previous"] = shard.previous
        context["entries"] = strings("log.empty")
        guard let published = shard.published else { return context }
        context["entries"] = format.number(Double(published.size), digits: 0)
        context["root"] = Base64.encode(published.root)
        context["signed"] = ["iso": ValueFormatter.iso(published.at), "text": format.second(published.at)] as ViewContext
        context["witnesses"] = published.witnesses.map { ["name": $0.name, "time": format.second($0.at)] as ViewContext }
        context["has_witnesses"] = !published.witnesses.isEmpty
        return context
    }

    private func state(_ state: LogFacts.State, _ format: ValueFormatter) -> String {
        switch state {
        case .open: strings("log.state.open")
        case .closed(let date): strings("log.state.closed", ["d": format.day(date)])
        case .frozen(let date): strings("log.state.frozen", ["t": format.second(date)])
        case .damaged(let closed, let since): strings("log.state.damaged", ["d": format.day(closed), "t": format.second(since)])
        case .givenUp(let date): strings("log.state.givenup", ["d": format.day(date)])
        }
    }
}
