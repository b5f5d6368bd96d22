import ArgumentParser
import CaptureProtocol

/// Has captures assessed again by the present methods (SPEC §14).
struct AdminReassess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reassess",
        abstract: "Has complete captures assessed again by the present methods.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase). depth-analyzer measures the stored bytes again, evidence-assembler assesses and \
            enters a `reassessment` into the public log where anything is different; the earlier verdict stays on the record's page. \
            Content Credentials that are signed stay as they are. With --method it goes through all captures in steps; interrupted, give \
            it again. Without an argument it lists what was asked for and not carried out.
            """)

    @Argument(help: "The capture's id.")
    var id: CaptureID?
    @Option(help: "Every capture that was assessed by this method, such as relief-1.")
    var method: String?

    func validate() throws {
        if id != nil, method != nil { throw ValidationError("Give an id or --method, not both.") }
    }

    func run() async throws {
        let requests = PostgresReassessmentRequests(url: try OperatorSettings().databaseURL())
        let retry = StartupRetry(dependency: "PostgreSQL")
        if let id {
            try await retry { try await requests.request(id) }
            Console.result("capture \(id) will be assessed again")
        } else if let method {
            let count = try await MethodReassessment(captures: requests).request(by: method)
            Console.result("\(count) capture\(count == 1 ? "" : "s") by \(method) will be assessed again")
        } else {
            let open = try await retry { try await requests.open() }
            Console.result(Self.text(of: open))
        }
    }

    private static func text(of open: [OpenReassessment]) -> String {
        guard !open.isEmpty else { return "nothing is to be assessed again" }
        var table = TextTable(header: ["capture", "asked for", "state"])
        for request in open {
            table.add(
                request.capture.description, Timestamp.format(request.requestedAt),
                request.outcome ?? (request.isMeasured ? "measured" : "waiting"))
        }
        return table.text
    }
}
