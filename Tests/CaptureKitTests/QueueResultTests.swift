import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("Results of captures that were sent")
struct QueueResultTests {
    @Test(
        "are asked for again after a pause while they are not final, whatever the server says",
        arguments: [
            #"{"status":"processing"}"#, #"{"status":"complete"}"#, #"{"status":"complete","confidence_level":null}"#,
            #"{"status":"withdrawn"}"#,
        ])
    func notFinal(data: String) async throws {
        let rig = try QueueRig { request in
            request.method == "GET" ? .data(200, data) : QueueRig.accepted(ContentDigest(of: request.body))
        }
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        for pause in [1.0, 2, 4] {
            try await queue.askResult(id)
            let (captures, now) = (try await queue.store.captures(), rig.clock.now)
            #expect(captures.map(\.state) == [.uploaded] && captures.allSatisfy { !$0.facts.isFinal })
            #expect(await queue.schedule.next(captures, at: now) == .wait(until: now.addingTimeInterval(pause)))
        }
    }
}
