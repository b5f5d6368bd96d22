import Foundation
import SimulatedDevice
import Testing

extension SystemTests {
    @Suite("Registrations over the API")
    struct APIRegistrations {
        /// All attestation defects of the simulated device, with the class of the failure.
        static let classes: [Defect: String] = [
            .wrongChallenge: "nonce_mismatch", .wrongAppID: "app_id_mismatch", .wrongEnvironment: "environment_mismatch",
            .otherRoot: "cert_chain", .expiredLeaf: "cert_expired", .futureLeaf: "cert_expired", .leafIsAuthority: "cert_chain",
            .leafSignedByOther: "cert_chain", .missingIntermediate: "malformed_object", .missingNonce: "nonce_missing",
            .nonzeroCounter: "counter_nonzero", .wrongKeyID: "key_id_mismatch", .wrongCredentialID: "credential_id_mismatch",
            .otherCOSEKey: "public_key_mismatch", .wrongFormat: "bad_format", .trailingCBOR: "malformed_cbor",
            .truncatedAuthData: "malformed_auth_data",
        ]

        @Test(
            "a defect is named by its class, and what is no attestation in form makes no device",
            arguments: Defect.allCases.filter(\.isOfAttestation))
        func defects(defect: Defect) async throws {
            let client = try TestClient.current()
            let stack = try LocalStack.required()
            let expected = try #require(Self.classes[defect])
            let device = SimulatedDevice()
            let challenge = try await client.challenge()
            let answer = try await client.register(client.registration(device, challenge: challenge, defect: defect))
            let stored = try await stack.sql(
                """
                SELECT outcome || ' ' || attestation_failure FROM registrations JOIN challenges ON registration_id = registrations.id
                WHERE challenge = '\\x\(challenge.lowerHex)'
                """)
            if expected.hasPrefix("malformed") {
                APIRefusal.invalidAttestation.expectEnvelope(answer)
                #expect(stored == ["invalid_attestation \(expected)"])
            } else {
                #expect(answer.status == 201, "\(answer.text)")
                #expect(answer.data["attestation_level"] as? String == "unverified")
                #expect(answer.data["attestation_failure"] as? String == expected)
                #expect(stored == ["registered \(expected)"])
            }
        }

        @Test("a verified device has a level and no failure", arguments: RequestKeyKind.allCases)
        func verified(kind: RequestKeyKind) async throws {
            let client = try TestClient.current()
            let device = SimulatedDevice(requestKey: kind)
            let answer = try await client.register(client.registration(device, challenge: client.challenge()))
            #expect(answer.status == 201 && answer.data["attestation_level"] as? String == "secure_enclave")
            #expect(answer.data["has_lidar"] as? Bool == true)
            #expect(answer.data["attestation_failure"] == nil || answer.data["attestation_failure"] is NSNull)
        }

        @Test("a request key that the attestation does not cover makes the device unverified")
        func swappedKey() async throws {
            let client = try TestClient.current()
            let sound = try client.registration(SimulatedDevice(), challenge: await client.challenge())
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(sound)) as? [String: Any])
            let other = try #require(try SimulatedDevice().requestPublicKey)
            fields["request_key"] = ["algorithm": "ed25519", "public_key": Data(other).base64EncodedString()]
            let answer = try await client.register(Array(JSONSerialization.data(withJSONObject: fields)))
            #expect(answer.data["attestation_failure"] as? String == "nonce_mismatch")
        }

        @Test("URL-safe base64 without padding is read as well")
        func base64() async throws {
            let client = try TestClient.current()
            let sound = try client.registration(SimulatedDevice(), challenge: await client.challenge())
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(sound)) as? [String: Any])
            var attestation = try #require(fields["attestation"] as? [String: String])
            attestation = attestation.mapValues { text in
                text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            }
            fields["attestation"] = attestation
            let answer = try await client.register(Array(JSONSerialization.data(withJSONObject: fields)))
            #expect(answer.data["attestation_level"] as? String == "secure_enclave", "\(answer.text)")
        }

        @Test("nobody can squat on a key: after an unverified registration with its id the real one is a new device")
        func squatting() async throws {
            let client = try TestClient.current()
            let device = SimulatedDevice()
            let squatter = try await client.register(client.registration(device, challenge: client.challenge(), defect: .otherRoot))
            let real = try await client.register(client.registration(device, challenge: client.challenge()))
            #expect(squatter.status == 201 && real.status == 201)
            #expect(real.data["attestation_level"] as? String == "secure_enclave")
            #expect(real.data["device_id"] as? String != squatter.data["device_id"] as? String)
        }

        @Test("the same body eight times at once registers once")
        func parallel() async throws {
            let client = try TestClient.current()
            let device = SimulatedDevice()
            let body = try client.registration(device, challenge: await client.challenge())
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await client.register(body) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 201 }, "\(answers.map(\.status))")
            #expect(Set(answers.compactMap { $0.data["device_id"] as? String }).count == 1)
            let rows = try await LocalStack.required().sql("SELECT count(*) FROM devices WHERE key_id = '\\x\(device.keyID.lowerHex)'")
            #expect(rows == ["1"])
        }

        @Test("of one key attested with many challenges at once exactly one registration wins")
        func race() async throws {
            let client = try TestClient.current()
            let device = SimulatedDevice()
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<4 { group.addTask { try await client.register(client.registration(device, challenge: client.challenge())) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == [201, 409, 409, 409])
        }

        @Test("while no verifier runs, the response is 503 with Retry-After; the same body gets its outcome later", .timeLimit(.minutes(5)))
        func patience() async throws {
            let client = try TestClient.current()
            let body = try client.registration(SimulatedDevice(), challenge: await client.challenge())
            try await LocalStack.required().without("attestation-verifier", by: "stop") {
                APIRefusal.serviceUnavailable.expectEnvelope(try await client.register(body))
            }
            let answer = try await client.registered(body)
            #expect(answer.status == 201 && answer.data["attestation_level"] as? String == "secure_enclave", "\(answer.text)")
        }
    }
}
