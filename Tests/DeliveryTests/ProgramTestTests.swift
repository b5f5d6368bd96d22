import Inspection
import Logging
import Synchronization
import Testing

@testable import ServiceRuntime

@Suite("The self-test of a sandboxed program")
struct ProgramTestTests {
    @Test(
        "says whether the program works, and nothing if it was not run",
        arguments: [(nil, [1]), (.unavailable("no program"), [0]), (.busy, []), (.cancelled, [])] as [(InspectionError?, [Double])])
    func reports(error: InspectionError?, reported: [Double]) async {
        let reports = Mutex<[Double]>([])
        let test = ProgramTest(
            metric: "rial_test_up", problem: "nothing can be tested", logger: Logger(label: "tests")
        ) { () async throws(InspectionError) in
            if let error { throw error }
        }
        await test.run { value in reports.withLock { $0.append(value) } }
        #expect(reports.withLock { $0 } == reported)
    }
}
