import Foundation
import TestSupport
import Testing

@testable import CaptureKit

@Suite("A store whose process is killed")
struct StoreKillTests {
    /// A point, and how often it is reached before the kill. Later captures find files, rows and a key of earlier ones.
    struct Kill: CustomTestStringConvertible {
        let point: String
        let visit: Int
        var testDescription: String { visit == 1 ? point : "\(point), visit \(visit)" }

        static let all = StoreLife.points.map { Kill(point: $0, visit: 1) } + repeated
        /// The assertion that was made later, a later part, the second upload, and the loan that ends.
        private static let repeated = [
            Kill(point: "seal.renamed", visit: 9), Kill(point: "store.lent-removed", visit: 2), Kill(point: "store.loan-ended", visit: 2),
            Kill(point: "queue.answered", visit: 2), Kill(point: "store.expired", visit: 2), Kill(point: "queue.upload-answered", visit: 2),
        ]
    }

    @Test("loses nothing, doubles nothing and leaves nothing over, wherever it is killed", arguments: Kill.all)
    func killed(_ kill: Kill) async throws {
        let folder = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = folder.path as String, point = kill.point as String, visit = kill.visit as Int] in
            try await StoreLife(folder: folder).live(untilKilledAt: point, visit: visit)
        }
        try await StoreLife(folder: folder.path).finish()
    }

    @Test("is killed at every point that the library names")
    func allPoints() throws {
        let folder = SharedData.projectRoot.appendingPathComponent("Clients/CaptureKit")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /reached\("(.+?)"\)/) { names.insert(String(match.1)) }
        }
        let changed = names.remove("state.\\(changed.state.rawValue)")
        #expect(changed != nil)
        let ofStates = CaptureState.allCases.map { "state.\($0.rawValue)" }
        #expect(names.union(ofStates) == Set(StoreLife.points + RegistrationKillTests.points + VideoKillTests.points))
    }
}
