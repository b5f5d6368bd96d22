import Evidence
import Models

/// The six checks in words, from the evidence.
struct CheckRows: Sendable {
    let evidence: EvidencePackage
    let confidence: ConfidenceLevel
    let capturedAt: CapturedTime?
    /// Upright or not, of the original.
    let pictureSize: PixelSize?
    let words: WordTable
    private var formats: Formats { Formats(words: words) }

    /// Failed ones first.
    func rows() -> [CheckRow] {
        let rows = [hardware(), depth(), time(), model(), size(), location()].map { row in
            var row = row
            row.isOpen = isOpen(row)
            if isUnsigned(row) { row.paragraphs.append(words("fact.unsigned.more")) }
            return row
        }
        return rows.filter { $0.status == .fail } + rows.filter { $0.status != .fail }
    }

    /// What failed, what limits the level, and what the highest level rests on.
    private func isOpen(_ row: CheckRow) -> Bool {
        if row.status == .fail { return true }
        switch (confidence, row.check) {
        case (.high, .hardware): return true
        case (.medium, .hardware), (.medium, .depth), (.low, .hardware), (.low, .depth): return row.status != .pass
        default: return false
        }
    }

    /// Whether the row tells something that the hardware signature does not cover.
    private func isUnsigned(_ row: CheckRow) -> Bool {
        guard !evidence.hardwareAttestation.coversMetadata else { return false }
        switch row.check {
        case .time: return capturedAt != nil
        case .model: return row.status != .unavailable || !evidence.hardwareAttestation.deviceModel.isEmpty
        case .location: return row.status != .unavailable
        case .hardware, .depth, .size: return false
        }
    }

    private func hardware() -> CheckRow {
        let found = evidence.hardwareAttestation
        var row: CheckRow
        switch (found.status, found.reason?.known) {
        case (.pass, _):
            let kind = found.developmentAttestation ? "hw.dev" : "hw.pass"
            row = CheckRow(check: .hardware, status: .pass, detail: words(kind))
            row.paragraphs = [words(found.developmentAttestation ? "hw.dev.more" : "hw.more")]
            if found.outOfOrder == true { row.paragraphs.append(words("hw.order")) }
            if let binding = found.binding {
                row.covers = [
                    (words("bind.photo"), true), (words("bind.depth"), binding.coversDepth),
                    (words("bind.metadata"), binding == .photoDepthMetadata),
                ]
            }
        case (.fail, .counterReplay): row = CheckRow(check: .hardware, status: .fail, detail: words("hw.replay"))
        case (.fail, .deviceRevoked):
            row = CheckRow(check: .hardware, status: .fail, detail: words("hw.revoked"), paragraphs: [words("hw.revoked.more")])
        case (.fail, _): row = CheckRow(check: .hardware, status: .fail, detail: words("hw.fail"))
        case (let status, let reason?) where Self.refusal(reason) != nil:
            let more = reason == .developmentDevice ? "hw.dev.more" : "hw.refused.more"
            row = CheckRow(
                check: .hardware, status: status, detail: Self.refusal(reason).map { words($0) } ?? "", paragraphs: [words(more)])
        case (let status, .deviceUnverified): row = CheckRow(check: .hardware, status: status, detail: words("hw.unverified"))
        case (let status, _): row = CheckRow(check: .hardware, status: status, detail: words("hw.none"))
        }
        row.caveat = words("hw.limit")
        return row
    }

    /// Why a signature that holds does not count here.
    private static func refusal(_ reason: HardwareReason) -> String? {
        switch reason {
        case .appNotAccepted: "hw.app"
        case .environmentMismatch: "hw.environment"
        case .developmentDevice: "hw.development"
        case .distributionNotAccepted: "hw.distribution"
        case .appVersionNotAccepted: "hw.version"
        case .bindingRetired: "hw.retired"
        case .noAssertion, .deviceUnverified, .deviceRevoked, .malformedCBOR, .malformedObject, .malformedAuthData, .keyType,
            .badSignature, .appIDMismatch, .counterReplay:
            nil
        }
    }

    private func depth() -> CheckRow {
        let found = evidence.depthAnalysis
        let source = words(found.source == .server ? "dp.server" : "dp.device")
        var paragraphs: [String] = []
        if let coverage = found.coverage, let near = found.minDepth, let far = found.maxDepth, let method = UntrustedText(found.method) {
            paragraphs = [
                words(
                    "dp.more",
                    [
                        "c": formats.percentage(coverage), "a": formats.metres(near), "b": formats.metres(far), "method": method.isolated,
                    ])
            ]
        }
        paragraphs += depthParts(found)
        let detail: String
        switch (found.status, found.reason?.known) {
        case (.pass, _): detail = found.relief.map { words("dp.pass", ["n": formats.percentage($0)]) } ?? words("depth.real")
        case (.fail, _): detail = words("dp.fail")
        case (.inconclusive, .noLiDAR):
            detail = words("dp.nolidar")
            paragraphs.insert(words("dp.nolidar.more"), at: 0)
        case (.inconclusive, .depthNotSigned):
            detail = words("dp.unbound")
            paragraphs.insert(words("dp.unbound.more"), at: 0)
        case (.inconclusive, _): detail = words(found.verdict == .flat ? "dp.flat" : "dp.undecided")
        case (.unavailable, _):
            return CheckRow(check: .depth, status: .unavailable, detail: words("dp.none"), paragraphs: [words("dp.more.none")])
        }
        return CheckRow(check: .depth, status: found.status, detail: "\(detail), \(source)", paragraphs: paragraphs)
    }

    /// What is reported beside the relief and decides nothing, and that an earlier method judged.
    private func depthParts(_ found: DepthAnalysisEvidence) -> [String] {
        var paragraphs: [String] = []
        if let front = found.reliefFront, let behind = found.reliefBehind {
            paragraphs.append(words("dp.parts", ["f": formats.percentage(front), "b": formats.percentage(behind)]))
        }
        if let edges = found.photoEdgesOnSurface {
            paragraphs.append(words("dp.outlines", ["n": formats.percentage(edges)]))
        }
        if let method = found.method, let current = EvidenceAssembly.algorithmVersions["depth"], method != current {
            paragraphs.append(words("dp.earlier", ["method": current]))
        }
        return paragraphs
    }

    private func time() -> CheckRow {
        let found = evidence.metadata.timestamp
        let (detail, more): (String, String)
        switch (found.status, found.reason?.known) {
        case (.pass, _):
            if case .exact(let captured)? = capturedAt {
                let span = formats.span(evidence.processing.receivedAt.timeIntervalSince(captured))
                (detail, more) = (words("time.pass", ["t": span]), "time.pass.more")
            } else {
                return CheckRow(check: .time, status: .pass, detail: words("time.pass.more"))
            }
        case (.fail, .afterReceipt): (detail, more) = (words("time.future"), "time.future.more")
        case (.fail, _): (detail, more) = (words("time.differs.plain"), "time.fail.more")
        case (_, .uploadedLate), (_, .uploadedVeryLate): (detail, more) = (words("time.late"), "time.late.more")
        case (_, .noUTCOffset): (detail, more) = (words("time.zone"), "time.none.more")
        default: (detail, more) = (words("time.none"), "time.none.more")
        }
        return CheckRow(check: .time, status: found.status, detail: detail, paragraphs: [words(more)])
    }

    private func model() -> CheckRow {
        let found = evidence.metadata.model
        let (detail, more): (String, String)
        switch (found.status, found.reason?.known) {
        case (.pass, _):
            let model = UntrustedText(evidence.hardwareAttestation.deviceModel)?.isolated
            (detail, more) = (model.map { words("model.pass", ["model": $0]) } ?? words("fact.nomodel"), "model.pass.more")
        // Which of the named models it is, the evidence does not say.
        case (.fail, .modelWithoutLiDAR): (detail, more) = (words("model.other.plain"), "model.fail.more")
        case (.fail, _): (detail, more) = (words("model.differs.plain"), "model.fail.more")
        default: (detail, more) = (words("model.none"), "model.none.more")
        }
        return CheckRow(
            check: .model, status: found.status, detail: detail, paragraphs: [words(more)],
            caveat: found.status == .fail ? nil : words("model.limit"))
    }

    private func size() -> CheckRow {
        let found = evidence.metadata.resolution
        let size = pictureSize.map { ["w": String($0.width), "h": String($0.height)] }
        switch (found.status, found.reason?.known, size) {
        case (.pass, _, let size?):
            return CheckRow(check: .size, status: .pass, detail: words("size.pass", size), paragraphs: [words("size.pass.more")])
        case (.pass, _, nil): return CheckRow(check: .size, status: .pass, detail: words("size.pass.more"))
        case (let status, .sizeNotInTable, let size?):
            return CheckRow(check: .size, status: status, detail: words("size.other", size), paragraphs: [words("size.none.more")])
        case (let status, _, _):
            return CheckRow(check: .size, status: status, detail: words("size.none"), paragraphs: [words("size.none.more")])
        }
    }

    private func location() -> CheckRow {
        let found = evidence.metadata.location
        let (detail, more): (String, String)
        switch found.status {
        case .pass:
            let city = UntrustedText(evidence.metadata.locationCoarse)?.isolated
            (detail, more) = (city.map { words("loc.pass", ["city": $0]) } ?? words("loc.none"), "loc.pass.more")
        case .fail: (detail, more) = (words("loc.fail"), "loc.fail.more")
        case .inconclusive, .unavailable: (detail, more) = (words("loc.none"), "loc.more")
        }
        return CheckRow(check: .location, status: found.status, detail: detail, paragraphs: [words(more)])
    }
}
