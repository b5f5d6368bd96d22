import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import TransparencyLog

@testable import ObjectStorage

extension SystemTests {
    /// What log and public bundles give away, over captures of every kind and all settings of privacy mode (SPEC §14 "Linkability").
    @Suite("Privacy of the public log and its bundles", .timeLimit(.minutes(8)))
    struct LogPrivacy {
        @Test("they hold nothing that links a device's captures, and nothing finer than its person shares, with each of the 27 settings")
        func everySetting() async throws {
            let stack = try LocalStack.required()
            var (one, other) = (try await LoggedDevice(), try await LoggedDevice())
            let held = try await stack.sql("SELECT count(*) FROM statements WHERE (\(one.rows) OR \(other.rows)) AND not_before > now()")
            #expect(held == ["\(2 * (18 + 1))"], "of those that do not share the time exactly")
            try await stack.enterHeldStatements(where: "\(one.rows) OR \(other.rows)")
            let (told, others) = (try await one.told(), try await other.told())
            let log = try await PublicLog(stack)

            for capture in told + others { expectOnlyShared(capture, log) }
            try await expectNoOrder(of: "\(one.rows) OR \(other.rows)", in: stack)

            // What the two have in common says nothing of either.
            let secrets = (Pieces.of(try await one.secrets(in: stack)), Pieces.of(try await other.secrets(in: stack)))
            var shown = Pieces.told(by: log.files)
            for capture in told + others { shown.formUnion(Pieces.told(by: try capture.bundle.bytes())) }
            #expect(secrets.0.subtracting(secrets.1).isDisjoint(with: shown), "\(one.device.deviceID ?? "")")
            #expect(secrets.1.subtracting(secrets.0).isDisjoint(with: shown), "\(other.device.deviceID ?? "")")
            let owned = try await TestClient.current().signedRead(&one.device, "\(TestClient.captures)/\(told[0].id)/bundle").body
            #expect(
                !secrets.0.subtracting(secrets.1).isDisjoint(with: Pieces.told(by: owned)), "the search finds what the owner's bundle has")

            let contents = (told.map { Self.timeless($0.content) }, others.map { Self.timeless($0.content) })
            #expect(Pieces.shared(by: contents.0, butNot: contents.1) == [])
            #expect(Pieces.shared(by: contents.1, butNot: contents.0) == [])
            let linked = contents.0.map { $0 + Array("\"device\":\"\(one.device.deviceID ?? "")\"".utf8) }
            #expect(Pieces.shared(by: linked, butNot: contents.1) != [], "the search finds an id that all bundles of a device have")

            try await expectNothingToMatch(log, stack)
        }

        /// A place is in none, nor a device's counter; time and device as far as the flags allow.
        private func expectOnlyShared(_ capture: LoggedDevice.Told, _ log: PublicLog) {
            let (flags, text) = (capture.flags, capture.text)
            let untimed = text.withoutTimes
            for word in ["45.76", "4.8356", "Lyon", "France", "latitude", "location_coarse", "altitude", "\"counter\"", "\"device_id\""] {
                #expect(!untimed.contains(word), "\(flags) says \(word)")
            }
            let content = capture.content.withoutTimes
            for word in ["45.764", "4.8356", "\"counter\"", "\"device_id\""] {
                #expect(!content.contains(word), "the manifest of \(capture.id) says \(word)")
            }
            if flags.device == .none { #expect(!text.contains("iPhone"), "\(flags)") }
            if flags.device != .full { #expect(!text.contains("os_version") && !text.contains("app_version"), "\(flags)") }
            let subject = capture.bundle.statements[0].statement.subject
            let entries = log.entries(of: subject)
            #expect(entries.count == capture.bundle.statements.count)
            guard flags.timestamp != .exact else { return }
            #expect(text.firstMatch(of: /\d\d\d\d-\d\d-\d\dT/) == nil && text.firstMatch(of: /\d\d:\d\d/) == nil, "\(flags): \(text)")
            #expect(flags.timestamp == .day || !text.contains("\"captured_at\":\""), "\(flags): \(text)")
            #expect(text.firstMatch(of: /"processing":\{[^}]*"duration_ms":\d/) == nil, "\(flags): \(text)")
            #expect(entries.allSatisfy(\.isMidnight) && capture.bundle.statements.allSatisfy { $0.statement.time.isMultiple(of: 86_400) })
        }

        /// Where those of one day stand tells neither their order nor whose they are: they stand by their commitments.
        private func expectNoOrder(of rows: String, in stack: LocalStack) async throws {
            let entered = try await stack.sql(
                """
                SELECT encode(log_entries.commitment, 'hex') FROM log_entries JOIN statements USING (commitment)
                WHERE (\(rows)) AND not_before IS NOT NULL ORDER BY log_entries.leaf_index
                """)
            #expect(entered.count == 38 && entered == entered.sorted())
        }

        /// Neither the files of the log nor its tables have the id of any capture, or a digest of anything that somebody may have.
        private func expectNothingToMatch(_ log: PublicLog, _ stack: LocalStack) async throws {
            let known = try await stack.bytes(
                """
                SELECT encode(uuid_send(id), 'hex') FROM captures UNION SELECT encode(uuid_send(id), 'hex') FROM devices
                UNION SELECT encode(media_sha256, 'hex') FROM captures WHERE media_sha256 IS NOT NULL
                UNION SELECT encode(sha256, 'hex') FROM media_objects
                UNION SELECT value FROM statements, jsonb_each_text(raw)
                UNION SELECT encode(value, 'hex') FROM statements, unnest(ARRAY[
                    sha256(evidence), sha256(statement), salt, raw_salt,
                    decode(convert_from(statement, 'UTF8')::jsonb ->> 'raw', 'hex')]) AS value WHERE value IS NOT NULL
                """)
            #expect(known.count > 400)
            #expect(Pieces.of(known).isDisjoint(with: Pieces.told(by: log.files)))
            let dump = try await LocalStack.run(
                "/usr/bin/env", ["pg_dump", "--data-only", "--table=log_*", stack.addresses["RIAL_DATABASE_URL"] ?? ""], [:])
            #expect(dump.contains("log_entries"))
            #expect(Pieces.of(known).isDisjoint(with: Pieces.told(by: Array(dump.utf8))))
        }

        /// Without times, which two captures of one second share, and without the evidence's digest, which they then share as well; the
        /// evidence itself is there.
        private static func timeless(_ content: [UInt8]) -> [UInt8] {
            // Each byte as a character of its own.
            let text = String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
            let time = /"time":\d+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\dZ]*|"duration_ms":\d+|"evidence":"[0-9a-f]{64}"/
            return text.replacing(time, with: "").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }

        @Test("after a withdrawal nothing opens the leaves that stay, and the log says that something was withdrawn")
        func withdrawn() async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            var capture = try TellingCapture(&device)
            let id = try await client.accepted(capture, &device)
            _ = try await client.settled(id)
            let bundle = try await client.bundle(of: id)
            let logged = try #require(bundle.statements.first)
            let (salt, file) = (try TransparencyProof(logged.proof).extra, stack.folder.appendingPathComponent("\(id).rial"))
            try Data(try bundle.bytes()).write(to: file)
            let leaf = logged.statement.leaf(salt: try #require(Salt(bytes: salt)))
            let opening = Pieces.of([salt, logged.statement.bytes, logged.evidence ?? []]).subtracting(Pieces.told(by: leaf.bytes))
            try await capture.addOpenings(of: id, in: stack)

            #expect(try await client.withdraw(id, &device).status == 204)
            var log = try await PublicLog(stack)
            try await eventually("the log says so") {
                log = try await PublicLog(stack)
                return log.entries(of: logged.statement.subject).map(\.kind) == [.assessment, .withdrawal]
            }
            #expect(log.leaves.contains(leaf), "who has a bundle still opens it")
            try await stack.expectHandled(id)
            try await stack.expectErased(id, capture)
            let stored = try await stack.stored(under: "log/")
            #expect(stored.count > 2 && opening.isDisjoint(with: Pieces.told(by: stored)))

            let policy = try #require(stack.addresses["RIAL_LOG_POLICY"])
            let said = try await stack.rial([
                "log", "monitor", try #require(stack.addresses["RIAL_LOG_PREFIX"]), "--policy", policy, "--state", "\(file.path).state",
                "--bundle", file.path,
            ])
            #expect(said.contains("not in the bundle: withdrawal"), "\(said)")
            let verified = try await stack.rial(["verify", "--bundle", file.path, "--policy", policy])
            #expect(verified.contains(BundleReport.always))
        }

        @Test("a capture withdrawn before its day has ended is entered with the others of the day, and tells no more of the time")
        func withdrawnBefore() async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            let flags = MetadataFlags(location: .none, timestamp: .day, device: .none)
            let id = try await client.capture(&device, PrivateCapture(CaptureParts(), sharing: flags))
            _ = try await client.settled(id)
            let subject = try #require(
                try await stack.bytes("SELECT encode(subject, 'hex') FROM statements WHERE capture_id = '\(id)'").first)
            let refused = try await client.send("GET", "\(TestClient.captures)/\(id)/bundle")
            let details = (refused.json["error"] as? [String: Any])?["details"] as? [String: Any]
            #expect(refused.status == 409 && refused.errorCode == "NOT_LOGGED_YET" && details?["reason"] as? String == "held")
            #expect(try await client.withdraw(id, &device).status == 204)
            let log = try await PublicLog(stack)
            #expect(log.entries(of: try #require(LogSubject(bytes: subject))).isEmpty, "nothing is in the log before")

            try await stack.enterHeldStatements(where: "subject = '\\x\(subject.lowerHex)'")
            var entries: [LoggedFact] = []
            try await eventually("both are published") {
                entries = try await PublicLog(stack).entries(of: try #require(LogSubject(bytes: subject)))
                return entries.count == 2
            }
            #expect(Set(entries.map(\.kind)) == [.assessment, .withdrawal] && entries.allSatisfy(\.isMidnight))
            #expect(entries.map(\.commitment.hex) == entries.map(\.commitment.hex).sorted())
            #expect(try await stack.sql("SELECT count(*) FROM statements WHERE capture_id = '\(id)'") == ["0"])
        }
    }
}

extension LocalStack {
    /// The contents of all objects under a prefix.
    fileprivate func stored(under prefix: String) async throws -> [[UInt8]] {
        let storage = try storage()
        var contents: [[UInt8]] = []
        for try await page in storage.pages(under: prefix) {
            for object in page { contents.append(try await storage.getBytes(object.key, limit: 1 << 20)) }
        }
        return contents
    }
}
