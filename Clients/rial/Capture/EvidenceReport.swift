import CaptureProtocol
import Foundation
import Models
import RialClient

/// A capture and its evidence as human-readable text.
struct EvidenceReport {
    let capture: CaptureRecord

    var text: String { heading + "\n\n" + checks + "\n" }

    private var heading: String {
        let json = capture.json
        var table = TextTable()
        table.add("capture", capture.id.description)
        table.add("status", capture.status.rawValue + (capture.failure.map { " (\($0))" } ?? ""))
        table.add("confidence", json.shownConfidence)
        if let time = json["captured_at"]?.string { table.add("captured", time) }
        if let time = json["uploaded_at"]?.string { table.add("uploaded", time) }
        if let video = capture.evidence?["video"] { table.add("video", Self.video(video)) }
        if let place = Self.phrase(json["location_coarse"]) { table.add("place", place) }
        if let location = json["location"], let latitude = location["latitude"]?.double, let longitude = location["longitude"]?.double {
            table.add("location", "\(latitude), \(longitude)")
        }
        if let duration = capture.evidence?["processing"]?["duration_ms"]?.double {
            table.add("took", "\(Int(exactly: duration.rounded()) ?? 0) ms")
        }
        table.add("link", capture.verificationURL ?? "–")
        return table.text
    }

    private var checks: String {
        guard let evidence = capture.evidence else { return "no evidence yet" }
        var table = TextTable(header: ["check", "status", "found"])
        let hardware = evidence["hardware_attestation"]
        table.add("hardware attestation", Self.status(hardware), Self.hardwareFindings(hardware))
        if let chain = evidence["hash_chain"] { table.add("hash chain", Self.status(chain), Self.chainFindings(chain)) }
        let depth = evidence["depth_analysis"]
        table.add("depth analysis", Self.status(depth), Self.depthFindings(depth, beside: hardware))
        for name in ["timestamp", "model", "resolution", "location"] {
            let check = evidence["metadata"]?[name]
            table.add("metadata: \(name)", Self.status(check), Self.phrase(check?["reason"]) ?? "")
        }
        let credentials = evidence["content_credentials"]
        table.add("content credentials", Self.status(credentials), Self.phrase(credentials?["reason"]) ?? "")
        return table.text
    }

    private static func status(_ check: JSONValue?) -> String { check?["status"]?.string ?? check?.string ?? "–" }

    private static func hardwareFindings(_ check: JSONValue?) -> String {
        var found = ["level", "device_model", "binding"].compactMap { check?[$0]?.string }
        if check?["development_attestation"]?.bool == true { found.append("development attestation") }
        if check?["status"]?.string == "pass", case .array(let parts)? = check?["signature_covers"],
            !parts.contains(.string(SignedPart.metadata.rawValue))
        {
            found.append("time, place and model not signed")
        }
        if check?["out_of_order"]?.bool == true { found.append("counter out of order") }
        if let reason = phrase(check?["reason"]) { found.append(reason) }
        return found.joined(separator: ", ")
    }

    private static func video(_ facts: JSONValue) -> String {
        var found: [String] = []
        if let duration = seconds(facts["duration_ms"]) { found.append(duration) }
        if let frames = facts["frame_count"]?.double { found.append("\(rounded(frames)) frames") }
        if let codec = facts["codec"]?.string { found.append(codec) }
        if let width = facts["width"]?.double, let height = facts["height"]?.double {
            found.append("\(rounded(width)) × \(rounded(height))")
        }
        return found.joined(separator: ", ")
    }

    private static func chainFindings(_ chain: JSONValue) -> String {
        var found: [String] = []
        if let verified = seconds(chain["verified_duration_ms"]), let all = seconds(chain["duration_ms"]) {
            found.append("\(verified) of \(all) verified")
        }
        if let frame = chain["break_at_frame"]?.double { found.append("breaks at frame \(rounded(frame))") }
        if let reason = phrase(chain["reason"]) { found.append(reason) }
        return found.joined(separator: ", ")
    }

    /// Milliseconds as seconds.
    private static func seconds(_ value: JSONValue?) -> String? { value?.double.map { "\(rounded($0 / 1000)) s" } }

    private static func depthFindings(_ check: JSONValue?, beside hardware: JSONValue?) -> String {
        var found: [String] = []
        if let verdict = check?["verdict"]?.string { found.append("verdict \(verdict)") }
        if let value = check?["relief"]?.double { found.append("relief \(rounded(value))") }
        if let value = check?["depth_variance"]?.double { found.append("spread \(rounded(value)) m") }
        if let value = check?["depth_layers"]?.double { found.append("layers \(Int(exactly: value) ?? 0)") }
        for (name, member) in [("consistency", "depth_consistency"), ("coherence", "motion_coherence"), ("edges", "edge_alignment")] {
            if let value = check?[member]?.double { found.append("\(name) \(rounded(value))") }
        }
        if let value = check?["edge_coherence"]?.double { found.append("edges \(rounded(value))") }
        if let nearest = check?["min_depth"]?.double, let farthest = check?["max_depth"]?.double {
            found.append("\(rounded(nearest))–\(rounded(farthest)) m")
        }
        if check?["reason"]?.string == DepthReason.depthNotSigned.rawValue, hardware?["status"]?.string == CheckStatus.fail.rawValue {
            // A video's, which the signature may well cover.
            found.append("does not count, since the hardware attestation failed")
        } else if let reason = phrase(check?["reason"]) {
            found.append(reason)
        }
        return found.joined(separator: ", ")
    }

    /// The plain text for a stable code; for a location, its name.
    private static func phrase(_ value: JSONValue?) -> String? {
        if let word = value?.string { return word.replacing("_", with: " ") }
        return value?["name"]?.string ?? value?["city"]?.string
    }

    /// At most three decimals, with a point in every locale.
    private static func rounded(_ value: Double) -> String {
        value.formatted(.number.precision(.fractionLength(0...3)).locale(Locale(identifier: "en_US_POSIX")))
    }
}
