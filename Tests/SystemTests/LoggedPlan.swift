import Foundation
import TestSupport

/// The execution plan of a statement, as auto_explain writes it to PostgreSQL's log.
struct LoggedPlan: Decodable, Sendable {
    struct Node: Decodable, Sendable {
        let type: String
        let relation: String?
        /// Per loop.
        let rows: Double
        let loops: Double
        let removedByFilter: Double?
        let removedByRecheck: Double?
        let children: [Node]?

        enum CodingKeys: String, CodingKey {
            case type = "Node Type"
            case relation = "Relation Name"
            case rows = "Actual Rows"
            case loops = "Actual Loops"
            case removedByFilter = "Rows Removed by Filter"
            case removedByRecheck = "Rows Removed by Index Recheck"
            case children = "Plans"
        }

        /// This node and its descendants.
        var all: [Node] { [self] + (children ?? []).flatMap(\.all) }
        /// The rows read, including those removed by filters.
        var touched: Double { (rows + (removedByFilter ?? 0) + (removedByRecheck ?? 0)) * loops }
        var isScan: Bool { type.hasSuffix("Scan") && relation != nil }
    }

    let query: String
    let plan: Node
    /// The service whose database role sent it.
    var service = ""

    enum CodingKeys: String, CodingKey {
        case query = "Query Text"
        case plan = "Plan"
    }

    /// The `log_line_prefix`, which has the role.
    static let linePrefix = "by %u: "

    /// Parses the plans of services' statements from a log with ``linePrefix``; the continuation lines of a plan begin with a tab.
    static func all(in log: String) throws -> [LoggedPlan] {
        var found: [LoggedPlan] = []
        var service: String?
        var text = ""
        for line in (log + "\nby nobody: ").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.first == "\t", service != nil {
                text += line.dropFirst() + "\n"
                continue
            }
            if let service, !text.isEmpty {
                var plan = try JSONDecoder().decode(LoggedPlan.self, from: Data(text.utf8))
                plan.service = service
                found.append(plan)
            }
            text = ""
            service =
                line.contains(" plan:") ? LocalStack.services.first { line.hasPrefix("by rial_\($0.replacing("-", with: "_")): ") } : nil
        }
        return found
    }

    var tables: [String] { plan.all.compactMap(\.relation) }
}

/// The part of a server's log written since this value was created.
struct PlanLog {
    let file: URL
    private let start: UInt64

    init(file: URL) {
        self.file = file
        start = (try? FileHandle(forReadingFrom: file).seekToEnd()) ?? 0
    }

    /// All plans, after every service has used these tables.
    func plans(of expected: [String: Set<String>]) async throws -> [LoggedPlan] {
        var plans: [LoggedPlan] = []
        var missing = ["a log that can be read"]
        do {
            try await eventually("the statements") {
                let handle = try FileHandle(forReadingFrom: file)
                try handle.seek(toOffset: start)
                plans = try LoggedPlan.all(in: String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self))
                missing = expected.flatMap { service, tables in
                    tables.subtracting(plans.filter { $0.service == service }.flatMap(\.tables)).map { "\(service) \($0)" }
                }
                return missing.isEmpty
            }
        } catch {
            throw DeadlinePassed(what: "statements that use \(missing.sorted())")
        }
        return plans
    }
}
