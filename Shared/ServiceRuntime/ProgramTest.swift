public import Inspection
public import Logging
import Metrics

/// The regular self-test of a sandboxed program. A metric has the result: 1 if the program works, else 0.
public struct ProgramTest: Sendable {
    private let metric: String
    private let problem: String
    private let logger: Logger
    private let test: @Sendable () async throws(InspectionError) -> Void

    /// - Parameter problem: what the log says if the program does not work.
    public init(
        metric: String, problem: String, logger: Logger, _ test: @escaping @Sendable () async throws(InspectionError) -> Void
    ) {
        self.metric = metric
        self.problem = problem
        self.logger = logger
        self.test = test
    }

    /// Changes nothing if the program was not tested, because others wait for it or the service ends.
    public func run() async { await run { Meter(label: metric).set($0) } }

    /// - Parameter report: gets the result.
    func run(report: (Double) -> Void) async {
        do throws(InspectionError) {
            try await test()
            report(1)
        } catch {
            switch error {
            case .busy, .cancelled: break
            case .unavailable:
                report(0)
                logger.error("\(problem)", metadata: ["problem": "\(error)"])
            }
        }
    }
}
