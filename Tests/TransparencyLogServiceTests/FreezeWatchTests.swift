import Foundation
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("Readiness of the log")
struct FreezeWatchTests {
    @Test("lasts while a shard is open that is not frozen, as it was last seen")
    func sound() throws {
        let rig = try LogRig(witnesses: [])
        let watch = FreezeWatch()
        #expect(!watch.isSound, "nothing was seen yet")
        var shard = try #require(rig.log.rows.shards.first)
        func note(_ shard: LogShard?) {
            watch.note(LogStanding(shard: shard, isFrozen: shard?.freeze != nil, pending: 0, oldestSeconds: 0))
        }
        note(shard)
        #expect(watch.isSound)
        shard.freeze = Freeze(.forked, "two trees")
        note(shard)
        #expect(!watch.isSound)
        shard.freeze = nil
        note(shard)
        #expect(watch.isSound)
        note(nil)
        #expect(!watch.isSound, "none is open")
    }
}
