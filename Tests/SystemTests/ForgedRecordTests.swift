import CaptureProtocol
import Foundation
import Messaging
import Models
import SimulatedDevice
import TestSupport
import Testing
import TransparencyLog

extension FaultTests {
    @Suite("Forged records on every topic")
    struct ForgedRecords {
        /// Everything about a capture that a record could influence, without the values that differ between any two captures of the same
        /// kind.
        private func verdict(_ id: String) async throws -> [String] {
            let stack = try LocalStack.required()
            let rows = try await stack.sql(
                """
                SELECT status, coalesce(failure, '-'), coalesce(confidence_level, '-'), evidence #>> '{hardware_attestation,status}',
                    evidence #>> '{hardware_attestation,level}', evidence #>> '{hardware_attestation,reason}',
                    evidence #>> '{hardware_attestation,binding}', evidence #>> '{depth_analysis,status}',
                    evidence #>> '{depth_analysis,verdict}', evidence #>> '{depth_analysis,relief}',
                    evidence #>> '{content_credentials,status}', evidence #>> '{content_credentials,reason}',
                    (SELECT string_agg(part || outcome, ',' ORDER BY part) FROM evidence_parts WHERE capture_id = captures.id),
                    (SELECT string_agg(name, ',' ORDER BY name) FROM media_objects WHERE capture_id = captures.id),
                    (SELECT count(*) FROM media_objects WHERE capture_id = captures.id AND object_key NOT LIKE '%' || captures.id || '%')
                FROM captures WHERE id = '\(id)'
                """)
            return try #require(rows.first).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }

        @Test("give no capture a verdict, a failure or media", .timeLimit(.minutes(6)))
        func beforeTheServices() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let forger = try Forger(stack)
            let redelivery = try Redelivery(stack)
            // Two captures that cannot be HIGH: one without a verified device, one of a flat scene.
            var unverified = try await client.device(defect: .otherRoot)
            var verified = try await client.device()
            let high = try await FaultCapture(&verified).accepted().id
            _ = try await client.settled(high)
            let (victims, controls) = try await stack.without(["attestation-verifier", "depth-analyzer", "upload-sync"]) {
                var victims: [String] = []
                var controls: [String] = []
                for round in 0..<2 {
                    let free = try CaptureParts()
                    let answer = try await client.submit(&unverified, free.form(assertion: nil))
                    let flat = try await client.capture(&verified, CaptureParts(CaptureParts.screen))
                    let pair = [try #require(answer.data["capture_id"] as? String), flat]
                    if round == 0 { victims = pair } else { controls = pair }
                }
                for id in victims {
                    try await redelivery.awaitHandled(forger.parts(of: id, mediaFrom: high))
                    try await redelivery.awaitHandled(forger.errors(of: id))
                    try await forger.ends(of: id)
                    // The consumers read these records first after their restart.
                    _ = try await forger.received(id, as: high)
                    let own = try #require(try await stack.records(of: .captureReceived, key: id).first?.header("ce_id"))
                    // The genuine announcement's id under other keys, as if the event had been handled already.
                    for _ in 0..<6 { try await forger.send(.captureReceived, key: "\(UUID())", ["capture_id": "\(CaptureID())"], id: own) }
                    #expect(try await client.show(id).data["status"] as? String == "processing")
                    #expect(try await verdict(id).prefix(3) == ["processing", "-", "-"])
                    #expect(try await stack.sql("SELECT count(*) FROM evidence_parts WHERE capture_id = '\(id)'") == ["0"])
                }
                return (victims, controls)
            }
            for id in victims + controls { _ = try await client.settled(id, within: .seconds(90)) }
            for (victim, control) in zip(victims, controls) {
                let found = try await verdict(victim)
                #expect(try await found == verdict(control))
                #expect(found.first == "complete" && found.last == "0")
            }
            let levels = try await stack.sql(
                "SELECT DISTINCT confidence_level FROM captures WHERE id IN ('\(victims[0])', '\(victims[1])')")
            #expect(!levels.contains("high"))
        }

        @Test("change nothing of a complete capture", .timeLimit(.minutes(5)))
        func afterTheServices() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let forger = try Forger(stack)
            var device = try await client.device()
            let flat = try await client.capture(&device, CaptureParts(CaptureParts.screen))
            let high = try await FaultCapture(&device).accepted().id
            for id in [flat, high] { _ = try await client.settled(id) }
            let before = try await [stack.finalState(of: flat), stack.finalState(of: high)]
            let redelivery = try Redelivery(stack)
            for (id, other) in [(flat, high), (high, flat)] {
                try await redelivery.awaitHandled(forger.errors(of: id))
                try await redelivery.awaitHandled(forger.parts(of: id, mediaFrom: other))
                try await forger.ends(of: id)
                try await redelivery.awaitHandled([.captureReceived: [forger.received(id, as: other)]])
            }
            #expect(try await [stack.finalState(of: flat), stack.finalState(of: high)] == before)
            #expect(try await client.show(flat).data["confidence_level"] as? String == "medium")
        }

        @Test("register no device and complete no registration", .timeLimit(.minutes(5)))
        func registrations() async throws {
            let stack = try LocalStack.required()
            let forger = try Forger(stack)
            let count = "SELECT (SELECT count(*) FROM devices), (SELECT count(*) FROM registrations)"
            // A valid attestation, but for a challenge that the gateway did not issue.
            let intruder = SimulatedDevice(requestKey: .ed25519)
            let invented = RegistrationID().description
            let before = try await stack.sql(count)
            try await forger.send(.registrationSubmitted, key: invented, Self.submission(invented, intruder))
            let letters = Topic.registrationSubmitted.deadLetters(of: .attestationVerifier)
            try await eventually("the invented registration was given up") {
                try await !stack.records(of: letters, key: invented).isEmpty
            }
            #expect(try await stack.sql(count) == before)

            let honest = try await FaultRegistration()
            let device = try await stack.without(["attestation-verifier"]) {
                async let sent = honest.sent()
                let challenge = honest.challenge.map { String(format: "%02x", $0) }.joined()
                var ids: [String] = []
                try await eventually("the registration was begun") {
                    ids = try await stack.sql("SELECT registration_id FROM challenges WHERE challenge = '\\x\(challenge)'")
                    return ids.first?.isEmpty == false
                }
                let id = try #require(ids.first)
                for outcome in ["registered", "failed", "invalid_attestation", "already_registered"] {
                    try await forger.send(.registrationAppraised, key: id, ["registration_id": id, "outcome": outcome])
                }
                try await forger.send(.registrationSubmitted, key: id, Self.submission(id, intruder))
                #expect(try await stack.sql(count) == before)
                try await stack.control("start", "attestation-verifier")
                return try await sent
            }
            device.expectOnlyRetryLater("a registration beside forged ones")
            try await honest.expectOne(in: stack, "a registration beside forged ones")
            let key = try intruder.keyID.map { String(format: "%02x", $0) }.joined()
            #expect(try await stack.sql("SELECT count(*) FROM devices WHERE key_id = '\\x\(key)'") == ["0"])
        }

        @Test("enter nothing into the log, move nothing in it and take nothing back, whatever topic they are on", .timeLimit(.minutes(5)))
        func log() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let forger = try Forger(stack)
            var device = try await client.device()
            let (id, owner) = (try await FaultCapture(&device).accepted().id, try #require(device.deviceID))
            _ = try await client.settled(id)
            _ = try await client.bundle(of: id)
            let place = """
                SELECT sequence, kind, encode(commitment, 'hex'), encode(sha256(statement), 'hex'), origin, leaf_index FROM statements
                WHERE capture_id = '\(id)' ORDER BY sequence
                """
            try await eventually("its place is noted") { try await stack.sql(place).first?.hasSuffix("|") == false }
            let (before, state) = (try await stack.sql(place), try await stack.finalState(of: id))

            let invented = "\(CaptureID())"
            var sent: [Forger.Sent] = []
            for topic in Topic.consumers.map(\.topic) {
                for capture in [id, invented] {
                    let key = topic == .deviceRevoked && capture == id ? owner : capture
                    sent.append(try await forger.statement(on: topic, key: key, about: capture, by: owner))
                }
            }
            try await forger.awaitEnded(sent)

            // What is genuine goes on.
            let next = try await FaultCapture(&device).accepted().id
            _ = try await client.settled(next)
            #expect(try await client.bundle(of: next).statements.count == 1)
            #expect(try await stack.sql(place) == before)
            #expect(try await stack.finalState(of: id) == state)
            #expect(try await client.bundle(of: id).statements.count == 1)
            for table in ["log_entries", "log_pending"] {
                let strange = "commitment IS NOT NULL AND commitment NOT IN (SELECT commitment FROM statements)"
                #expect(try await stack.sql("SELECT count(*) FROM \(table) WHERE \(strange)") == ["0"], "\(table)")
            }
            let log = try await PublicLog(stack)
            #expect(!log.files.contains { $0.contains(Forger.subject) || $0.contains(Forger.commitment) })
        }

        /// A registration in the format of earlier versions, with the data inside the record.
        private static func submission(_ id: String, _ device: SimulatedDevice) throws -> [String: Any] {
            let challenge = [UInt8](repeating: 5, count: 32)
            let body = try TestClient.current().registration(device, challenge: challenge)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
            let attestation = try #require(json["attestation"] as? [String: Any])
            let key = try device.requestPublicKey ?? []
            return [
                "registration_id": id, "model": device.model, "has_lidar": true, "key_id": attestation["key_id"] ?? "",
                "attestation_object": attestation["attestation_object"] ?? "", "client_data_hash": (challenge + key).sha256,
                "request_key": json["request_key"] ?? "", "received_at": Date().formatted(.iso8601),
            ]
        }

        @Test("that are not events stop no consumer", .timeLimit(.minutes(6)))
        func garbage() async throws {
            let stack = try LocalStack.required()
            let producer = try stack.producer()
            let processes = try LocalStack.services.map { try stack.processID(of: $0) }
            for topic in Topic.all {
                for garbage in Garbage.all {
                    for key in [Array("\(UUID())".utf8), nil] {
                        try await producer.send(topic: topic.rawValue, key: key, value: garbage.value, headers: garbage.headers)
                    }
                }
            }
            var device = try await TestClient.current().device()
            let capture = try FaultCapture(&device)
            let id = try await capture.accepted().id
            try await stack.expectWhole([id], of: device)
            #expect(try LocalStack.services.map { try stack.processID(of: $0) } == processes)
            for service in LocalStack.services { #expect(try await stack.admin(service, "/readyz").status == 200, "\(service)") }
            #expect(try await stack.rial(["dlq", "list"]).contains("undecodable"))
        }
    }
}
