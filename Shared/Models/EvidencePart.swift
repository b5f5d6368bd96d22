/// The three parts of an evidence package.
public enum EvidencePart: String, Codable, Sendable, CaseIterable { case attestation, depth, media }
