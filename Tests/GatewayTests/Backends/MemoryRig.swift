import CaptureProtocol
import Models

@testable import Gateway

/// The repositories in memory.
struct MemoryRig: GatewayRig {
    let rows = MemoryCaptures()
    private let held = MemoryTokenBuckets()

    var captures: any CaptureRepository { rows }
    var intakes: any IntakeRepository { rows }
    func insertDevice() async throws -> DeviceID { DeviceID() }
    func fail(_ capture: CaptureID) async throws { rows.set(.failed, of: capture) }
    func answer(_ part: EvidencePart, of capture: CaptureID, isGivenUp: Bool) async throws {
        rows.answer(part, of: capture, isGivenUp: isGivenUp)
    }
    func captureIDs() async throws -> Set<CaptureID> { Set(rows.now.captures.keys) }
    func announced() async throws -> [String] { rows.now.announced }
    func intakeIDs() async throws -> Set<CaptureID> { Set(rows.now.intakes.keys) }
    func brought(by upload: CaptureID) async throws -> CaptureID? { rows.now.intakes[upload]?.brings }

    func close() async { rows.fail(with: .unreachable) }

    func buckets(atMost rows: Int) -> any TokenBuckets {
        held.allow(rows: rows)
        return held
    }
    var otherBuckets: any TokenBuckets { held }
    func ageBuckets(by seconds: Double) async throws { held.age(by: seconds) }
    func bucketNames() async throws -> Set<String> { held.names }
}
