import Foundation
import TestSupport

/// How PostgreSQL executed a statement, as its auto_explain writes it into the server's log.
struct LoggedPlan: Decodable, Sendable {
    struct Node: Decodable, Sendable {
        let type: String
        let relation: String?
        /// Of each loop.
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

        /// It and all below it.
        var all: [Node] { [self] + (children ?? []).flatMap(\.all) }
        /// Rows that were looked at, those that did not fit included.
        var touched: Double { (rows + (removedByFilter ?? 0) + (removedByRecheck ?? 0)) * loops }
        var isScan: Bool { type.hasSuffix("Scan") && relation != nil }
    }

    let query: String
    let plan: Node
    /// Whose role in the database sent it.
    var service = ""

    enum CodingKeys: String, CodingKey {
        case query = "Query Text"
        case plan = "Plan"
    }

    /// Puts the role before each line that the server logs.
    static let linePrefix = "by %u: "

    /// The plans of services' statements in a log whose lines begin with ``linePrefix``; a plan's lines after the first begin with a tab.
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

/// A server's log from the moment this was made.
struct PlanLog {
    let file: URL
    private let start: UInt64

    init(file: URL) {
        self.file = file
        start = (try? FileHandle(forReadingFrom: file).seekToEnd()) ?? 0
    }

    /// All plans, once each service has used these tables.
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
