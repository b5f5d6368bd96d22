import CaptureKit
import CaptureProtocol
import Foundation
import Testing

extension SystemTests {
    @Suite("A phone whose store several processes use", .timeLimit(.minutes(6)))
    struct QueueProcesses {
        @Test("has each capture once while two add and two send, from the first start on")
        func addersAndSenders() async throws {
            let phone = try await Phone()
            let devices = try await phone.stack.sql("SELECT count(*) FROM devices")
            let each = 4
            let added = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 1...2 {
                    group.addTask {
                        var ids: [String] = []
                        for _ in 1...each { ids.append(try await phone.add()) }
                        return ids
                    }
                    // Each ends when it finds nothing to send, and another begins.
                    group.addTask {
                        while try await phone.captures().filter({ $0.state == "uploaded" }).count < 2 * each {
                            try Task.checkCancellation()
                            try await phone.run()
                        }
                        return []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let captures = try await phone.captures()
            #expect(captures.count == 2 * each && Set(captures.map(\.id)) == Set(added))
            try await phone.expectOnceEach()
            let after = try await phone.stack.sql("SELECT count(*) - 1 FROM devices")
            #expect(after == devices, "both registered: one device")
            // No counter of the hardware key was used twice.
            try await phone.expectResults()
        }

        @Test("has one key when two processes open it first at once", arguments: 1...2)
        func firstStarts(round: Int) async throws {
            let phone = try await Phone()
            async let first = phone.add()
            async let second = phone.add()
            let added = [try await first, try await second]
            #expect(Set(try await phone.captures().map(\.id)) == Set(added))
            let items = try FileManager.default.contentsOfDirectory(atPath: phone.folder.path + "/phone/keychain")
            #expect(items == [SecureItem.storeKey.name])
            let store = try await phone.store()
            for id in added {
                let id = try #require(LocalID(id))
                let reader = try store.content(.photo, of: id)
                #expect(try reader.read(count: 2, at: 0) == [0xFF, 0xD8], "sealed under the key that was kept")
            }
            try store.close()
        }
    }
}
