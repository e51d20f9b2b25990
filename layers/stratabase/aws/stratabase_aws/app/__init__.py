"""What AWS brings to an app: its platform."""
